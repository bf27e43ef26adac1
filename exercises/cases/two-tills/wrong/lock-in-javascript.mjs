let last = Promise.resolve();

async function change(client, id, by) {
  const { rows } = await client.query("SELECT n FROM counter WHERE id = $1", [id]);
  if (rows.length === 0) throw new Error(`there is no counter ${id}`);
  const n = rows[0].n + by;
  await client.query("UPDATE counter SET n = $2 WHERE id = $1", [id, n]);
  return n;
}

export function add(client, id, by) {
  const mine = last.then(() => change(client, id, by));
  last = mine.catch(() => {});
  return mine;
}
