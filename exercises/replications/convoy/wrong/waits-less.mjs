export function server(wait, compute) {
  let data;
  return async function handle(request) {
    data ??= await wait(request);
    return compute(data);
  };
}
