import { createServer } from "node:http";
import { json } from "node:stream/consumers";

const { UPSTREAM, PORT = "0" } = process.env;

async function total(request, response) {
  const names = await json(request);
  let sum = 0;
  for (const name of names) {
    const answer = await fetch(`${UPSTREAM}/${name}`);
    const { value } = await answer.json();
    response.write(`${name} ${value}\n`);
    sum += value;
  }
  response.end(`total ${sum}\n`);
}

const server = createServer(total);

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
