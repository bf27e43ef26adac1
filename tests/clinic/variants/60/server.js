// A page with the visitor's number, which fails where two visitors want the same row.
const http = require("node:http");

let busy = 0;

function next(callback) {
  busy += 1;
  setTimeout(() => {
    const conflict = busy > 4;
    busy -= 1;
    callback(conflict ? new Error("deadlock detected") : null, busy);
  }, 4);
}

const server = http.createServer((_req, res) => {
  next((error, number) => {
    if (error) {
      res.statusCode = 500;
      return res.end(error.message);
    }
    res.end(`You are number ${number}`);
  });
});
server.listen(process.env.PORT || 18160);
