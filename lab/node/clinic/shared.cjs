// What both threads of the probe must agree on.
"use strict";
module.exports = {
  // Each a float64; all but `late_ms`, which whoever reads it clears, are the latest or a total.
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
    "outgoing",
    "outgoing_port",
    "stale",
    "posted",
  ],
  commands: { rest: 0, look: 1 },
};
