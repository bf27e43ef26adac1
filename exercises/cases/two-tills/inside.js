// A till: adds with each of its clients, at the same time with one another, and says what came of each addition.
exports.sell = (student, { clients, id }, tell) => {
  for (const { name, query, sales } of clients) {
    const client = { query: (text, values = []) => query(text, values) };
    const all = async () => {
      const made = [];
      for (const by of sales) {
        try {
          made.push({ n: await student.add(client, id, by) });
        } catch (error) {
          made.push({ error: String(error?.message) });
        }
      }
      tell("sold", { name, made });
    };
    all();
  }
};
