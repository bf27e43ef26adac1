export async function add(client, id, by) {
  await client.query("BEGIN");
  try {
    const { rows } = await client.query("SELECT n FROM counter WHERE id = $1", [id]);
    if (rows.length === 0) throw new Error(`there is no counter ${id}`);
    const n = rows[0].n + by;
    await client.query("UPDATE counter SET n = $2 WHERE id = $1", [id, n]);
    await client.query("COMMIT");
    return n;
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  }
}
