const { setTimeout: sleep } = require("node:timers/promises");

let stored = 0;

async function count(who) {
  const number = stored;
  console.log(`${who} reads ${number}`);
  await sleep(5);
  stored = number + 1;
  console.log(`${who} writes ${stored}`);
}

count("Ann");
count("Bob");
