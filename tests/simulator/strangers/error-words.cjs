try {
  undefined.name;
} catch (error) {
  console.log(error.message);
}
try {
  null.name = 1;
} catch (error) {
  console.log(error.message);
}
try {
  missing;
} catch (error) {
  console.log(`${error}`);
}
try {
  const fixed = 1;
  fixed = 2;
} catch (error) {
  console.log(error.message);
}
try {
  JSON.parse("{bad");
} catch (error) {
  console.log(error.name);
}
try {
  setTimeout("text");
} catch (error) {
  console.log(error.code, error.message);
}
