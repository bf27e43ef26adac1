const fs = require("node:fs");
const [file, copy, none] = ["/tmp/modes.txt", "/tmp/modes-copy.txt", "/tmp/no-such-folder/"];
const tell = (name, error) =>
  console.log(name, error.name, error.code, error.message.replace(/-\w{6}'/, "-@'"));
fs.writeFileSync(file, "text");
for (const mode of [
  "r",
  "4",
  {},
  8,
  -1,
  NaN,
  2 ** 31,
  2 ** 32,
  1.5,
  0,
  1,
  2,
  4,
  7,
  null,
  undefined,
])
  try {
    fs.accessSync(file, mode);
    console.log(mode, "may");
  } catch (error) {
    tell(mode, error);
  }
for (const mode of ["r", 8, -1, 0, 1, null, undefined])
  try {
    fs.copyFileSync(file, copy, mode);
    console.log(mode, "copied");
  } catch (error) {
    tell(mode, error);
  }
fs.access("/tmp", fs.constants.X_OK, async (error) => {
  console.log("a folder", error);
  try {
    fs.mkdtempSync(`${none}first-`);
  } catch (error) {
    tell("synchronous", error);
  }
  await fs.promises.access(file, 8).catch((error) => tell("promise", error));
  await fs.promises.access(file, 1).catch((error) => tell("promise", error));
  await fs.promises.mkdtemp(`${none}second-`).catch((error) => tell("promise", error));
  fs.mkdtemp(`${none}third-`, (error) => {
    tell("callback", error);
    for (const path of [file, copy]) fs.rmSync(path);
  });
});
