// The slots and commands that both threads of the probe share.
"use strict";
module.exports = {
  // Each slot is a float64. It holds the latest value or a total. The reader of `late_ms` clears that slot.
  slots: [
    "beat_ms",
    "idle_ms",
    "active_ms",
    "loop_count",
    "heap_used",
    "external",
    "array_buffers",
    "connections",
    "late_ms",
    "blocks",
    "agent_ms",
    "agent_waited",
    "fetched",
    "fetched_read",
    "calls_failed",
    "outgoing",
    "outgoing_port",
    "stale",
    "posted",
  ],
  commands: { rest: 0, look: 1 },
};
