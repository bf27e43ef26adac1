// The middle of numbers, for cells (`lab.median`) and for the programs of chapters.
"use strict";

const { Array, array } = require("./primordials.js");

/** The median of a list: of an even number, the mean of the two in the middle; NaN of none. */
function median(list) {
  const sorted = array.sort(Array.from(list), (a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

module.exports = median;
