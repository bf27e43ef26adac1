import "./quick.mjs";

let hops = 0;
const hop = () => {
  if (hops++ < 40) Promise.resolve().then(hop);
};
hop();
import("./quick.mjs").then(() => console.log("imported again", hops));
