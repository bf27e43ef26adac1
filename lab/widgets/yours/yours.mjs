// Draws the page of results for the build, with the script that draws it in a browser. Reads one line of JSON and writes one.

import { createInterface } from "node:readline";
import "../numbers.js";
import "./yours.js";

createInterface({ input: process.stdin }).once("line", (line) => {
  console.log(JSON.stringify(globalThis.LabYoursModel.draw(JSON.parse(line))));
  process.exit(); // standard input is still open and would keep the process alive
});
