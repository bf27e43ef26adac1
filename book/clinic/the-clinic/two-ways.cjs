const turn = () => new Promise(setImmediate);

async function flood() {
  for (const step of [1, 2]) {
    await null;
    console.log(`flood, step ${step}`);
  }
}

async function polite() {
  for (const step of [1, 2]) {
    await turn();
    console.log(`polite, step ${step}`);
  }
}

setImmediate(() => console.log("somebody else"));
polite();
flood();
