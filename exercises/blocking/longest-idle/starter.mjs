const reasons = { idle: "idle", full: "full" }; // {{idle}}, {{full}}

export function createLimit(most) {
  const connections = new Set();
  return {
    opened(connection) {
      if (connections.size >= most) connection.close(reasons.full);
      else connections.add(connection);
    },
    begins(_connection) {},
    ends(_connection) {},
    closed(connection) {
      connections.delete(connection);
    },
  };
}
