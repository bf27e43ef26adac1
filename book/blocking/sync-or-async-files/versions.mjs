// The versions a page ran on.
console.log(
  JSON.stringify({ node: process.version, uv: process.versions.uv, v8: process.versions.v8 }),
);
