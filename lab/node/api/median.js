// The middle of numbers, for cells (`lab.median`) and for the programs of chapters.
"use strict";

/** The median of a list: of an even number, the mean of the two in the middle; NaN of none. */
function median(list) {
  const sorted = Array.from(list).sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

module.exports = median;
