const idleReason = "idle"; // {{idle}}
const fullReason = "full"; // {{full}}

export function createLimit(most) {
  const requests = new Map();
  const since = new Map(); // set once a connection's first request has ended
  let clock = 0;
  return {
    opened(connection) {
      if (requests.size >= most) {
        const idle = [...requests.keys()].filter((one) => requests.get(one) === 0);
        idle.sort((a, b) => since.get(a) - since.get(b));
        if (idle.length === 0) return connection.close(fullReason);
        requests.delete(idle[0]);
        idle[0].close(idleReason);
      }
      requests.set(connection, 0);
      since.set(connection, clock++);
    },
    begins(connection) {
      if (requests.has(connection)) requests.set(connection, requests.get(connection) + 1);
    },
    ends(connection) {
      if (!requests.has(connection)) return;
      requests.set(connection, requests.get(connection) - 1);
      if (!connection.wasServed) since.set(connection, clock++);
      connection.wasServed = true;
    },
    closed(connection) {
      requests.delete(connection);
    },
  };
}
