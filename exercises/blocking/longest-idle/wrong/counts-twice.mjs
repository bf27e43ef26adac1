const idleReason = "idle"; // {{idle}}
const fullReason = "full"; // {{full}}

export function createLimit(most) {
  const requests = new Map();
  const idle = new Set();
  let open = 0;
  return {
    opened(connection) {
      if (open >= most) {
        const [longest] = idle;
        if (longest === undefined) return connection.close(fullReason);
        idle.delete(longest);
        requests.delete(longest);
        open -= 1;
        longest.close(idleReason);
      }
      open += 1;
      requests.set(connection, 0);
      idle.add(connection);
    },
    begins(connection) {
      if (!requests.has(connection)) return;
      requests.set(connection, requests.get(connection) + 1);
      idle.delete(connection);
    },
    ends(connection) {
      if (!requests.has(connection)) return;
      requests.set(connection, requests.get(connection) - 1);
      if (requests.get(connection) === 0) idle.add(connection);
    },
    closed(connection) {
      open -= 1;
      idle.delete(connection);
      requests.delete(connection);
    },
  };
}
