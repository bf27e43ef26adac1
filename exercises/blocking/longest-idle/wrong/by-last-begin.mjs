const idleReason = "idle"; // {{idle}}
const fullReason = "full"; // {{full}}

export function createLimit(most) {
  const open = new Map(); // the number of requests of a connection, and when its last one began
  let clock = 0;
  return {
    opened(connection) {
      if (open.size >= most) {
        const idle = [...open].filter(([, { requests }]) => requests === 0);
        idle.sort(([, a], [, b]) => a.since - b.since);
        if (idle.length === 0) return connection.close(fullReason);
        const [[longest]] = idle;
        open.delete(longest);
        longest.close(idleReason);
      }
      open.set(connection, { requests: 0, since: clock++ });
    },
    begins(connection) {
      const state = open.get(connection);
      if (!state) return;
      state.requests += 1;
      state.since = clock++;
    },
    ends(connection) {
      const state = open.get(connection);
      if (state) state.requests -= 1;
    },
    closed(connection) {
      open.delete(connection);
    },
  };
}
