// What the page of results shows, drawn for the build by the script that draws it in a browser: a line of JSON in and one out.

import { createInterface } from "node:readline";
import "../numbers.js";
import "./yours.js";

createInterface({ input: process.stdin }).once("line", (line) => {
  console.log(JSON.stringify(globalThis.LabYoursModel.draw(JSON.parse(line))));
  process.exit(); // standard input stays open
});
