export async function add(client, id, by) {
  const { rowCount } = await client.query("UPDATE counter SET n = n + $2 WHERE id = $1", [id, by]);
  if (rowCount === 0) throw new Error(`there is no counter ${id}`);
  const { rows } = await client.query("SELECT n FROM counter WHERE id = $1", [id]);
  return rows[0].n;
}
