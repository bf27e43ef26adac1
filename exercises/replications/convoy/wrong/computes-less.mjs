export function server(wait, compute) {
  let answer;
  return async function handle(request) {
    const data = await wait(request);
    if (answer === undefined) {
      answer = compute(data);
      setImmediate(() => {
        answer = undefined;
      });
    }
    return answer;
  };
}
