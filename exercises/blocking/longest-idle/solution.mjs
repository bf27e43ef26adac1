const idleReason = "idle"; // {{idle}}
const fullReason = "full"; // {{full}}

export function createLimit(most) {
  const requests = new Map(); // of each open connection, how many are in progress
  const idle = new Set(); // the one that has been idle for longest is the first

  function forget(connection) {
    requests.delete(connection);
    idle.delete(connection);
  }

  return {
    opened(connection) {
      if (requests.size >= most) {
        const [longest] = idle;
        if (longest === undefined) {
          connection.close(fullReason);
          return;
        }
        forget(longest);
        longest.close(idleReason);
      }
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
      const left = requests.get(connection) - 1;
      requests.set(connection, left);
      if (left === 0) idle.add(connection);
    },
    closed(connection) {
      forget(connection);
    },
  };
}
