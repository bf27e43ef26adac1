module.exports = { name: "main of a package", other: null, add: (a, b) => a + b, never: 1 };
