// events: [{ turn: 12, request: 1, callback: "arrives" }, { turn: 12, request: 2, callback: "arrives" },
//          { turn: 13, request: 1, callback: "open" }, { turn: 16, request: 1, callback: "answered" }, ...]
export function lives(events) {
  const turns = new Set(events.map(({ turn }) => turn));
  const requests = new Set(events.map(({ request }) => request));
  return { usual: null, perTurn: requests.size / turns.size, most: requests.size };
}
