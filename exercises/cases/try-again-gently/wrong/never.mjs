export async function call(request, send) {
  return send(request);
}
