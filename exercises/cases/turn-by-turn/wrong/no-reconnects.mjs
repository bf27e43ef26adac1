// One connection and the request on it; it is gone when its client has given up or has all its answers.
class Connection {
  constructor(left, sent) {
    this.left = left; // requests that follow this one
    this.sent = sent;
    this.gone = false;
  }
}

export function lost(c, R, S, T) {
  const door = Array.from({ length: c }, () => new Connection(R - 1, 0));
  const patient = [...door]; // by the time at which they give up
  let inside = [];
  let now = 0;
  let count = 0;

  const giveUp = () => {
    while (patient.length > 0 && patient[0].sent + T < now) {
      const one = patient.shift();
      one.gone = true;
      count++;
    }
  };
  const wait = (one) => {
    const at = patient.findIndex((other) => other.sent > one.sent);
    patient.splice(at < 0 ? patient.length : at, 0, one);
  };
  const serve = (one) => {
    now += S; // also for a client that has gone: nobody tells the server
    giveUp();
    if (one.gone) return false;
    patient.splice(patient.indexOf(one), 1);
    if (one.left === 0) return false;
    one.left--;
    one.sent = now;
    wait(one);
    return true;
  };

  while (door.length > 0 || inside.length > 0) {
    giveUp();
    if (door.length > 0) inside.push(door.shift());
    inside = inside.filter(serve);
  }
  return count;
}
