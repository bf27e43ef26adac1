// Connections that note when they are closed. Their `closed` comes at once, inside `close`, or not at all.
const NAMES = ["opened", "begins", "ends", "closed"];

// steps, in this order: [name, n], a call with connection number n. What comes back: {closes: [{n, reason, step}]}, or the function that
// is missing. A call that throws ends the scene, and is told.
exports.play = async function play(student, { most, steps, answersClose }) {
  const limit = student.createLimit(most);
  for (const name of NAMES) if (typeof limit?.[name] !== "function") return { lacks: name };
  const closes = [];
  const connections = new Map();
  let step = 0;
  const connection = (n) => {
    if (!connections.has(n)) {
      const one = {
        close(reason) {
          closes.push({ n, reason: typeof reason === "string" ? reason : typeof reason, step });
          if (answersClose) limit.closed(one);
        },
      };
      connections.set(n, one);
    }
    return connections.get(n);
  };
  for (const [name, n] of steps) {
    limit[name](connection(n));
    step += 1;
  }
  return { closes };
};
