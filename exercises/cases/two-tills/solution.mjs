const ADD = "UPDATE counter SET n = n + $2 WHERE id = $1 RETURNING n";

export async function add(client, id, by) {
  const { rows } = await client.query(ADD, [id, by]);
  if (rows.length === 0) throw new Error(`there is no counter ${id}`);
  return rows[0].n;
}
