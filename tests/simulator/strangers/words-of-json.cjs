const node = { name: "a", list: [] };
node.list.push({ up: node });
const texts = [
  "hello world",
  "{'a': 1}",
  "undefined",
  "",
  "[1,2",
  '{"a":1,}',
  "<!DOCTYPE html><html></html>",
];
texts.push(
  '{"a": {"b": [1, 2, x, 4], "c": "d"}}',
  "tru",
  "truth",
  "{}",
  "NaN",
  "[object Object]",
  '{"a": 1 "b"}',
);
for (const text of texts)
  try {
    console.log(JSON.parse(text));
  } catch (error) {
    console.log(`${error}`);
  }
try {
  JSON.stringify(node);
} catch (error) {
  console.log(error.message);
}
