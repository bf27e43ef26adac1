const most = 200; // {{most}}

export async function scan(page, each, { signal } = {}) {
  const rows = page(0, Infinity);
  for (const row of rows) each(row);
  return rows.length;
}
