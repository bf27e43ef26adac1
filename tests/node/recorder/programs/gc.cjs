let a = [];
setTimeout(() => {
  for (let i = 0; i < 3e5; i++) a.push({ i });
  console.log("alloc");
}, 1);
new FinalizationRegistry(() => console.log("fin")).register({}, 1);
setTimeout(() => {
  a = [];
}, 60);
