const idleReason = "idle"; // {{idle}}
const fullReason = "full"; // {{full}}

export function createLimit(most) {
  const connections = new Set();
  return {
    opened(connection) {
      if (connections.size >= most) connection.close(fullReason);
      else connections.add(connection);
    },
    begins(_connection) {},
    ends(_connection) {},
    closed(connection) {
      connections.delete(connection);
    },
  };
}
