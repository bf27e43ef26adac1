export async function add(client, id, by) {
  const { rows } = await client.query("SELECT n FROM counter WHERE id = $1", [id]);
  const n = rows[0].n + by;
  await client.query("UPDATE counter SET n = $2 WHERE id = $1", [id, n]);
  return n;
}
