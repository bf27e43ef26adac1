export function server(wait, compute) {
  return async function handle(request) {
    const data = await wait(request);
    return compute(data);
  };
}
