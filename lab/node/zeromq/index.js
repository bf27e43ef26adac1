// ijavascript asks for zeromq 5, which compiles libzmq when it is installed. This package takes that
// name and version in our workspace and hands the work to zeromq 6, whose binaries come prebuilt.
"use strict";

const compat = require("zeromq6/v5-compat");

// jmp calls zmq.Socket.call(this, type); a class refuses that, hence a plain function.
function Socket(type) {
  this._inner = new compat.Socket(type);
  this._type = type;
  // By default a publisher drops what exceeds 1000 messages: lines of output would go missing.
  if (type === "pub") this._inner._socket.sendHighWaterMark = 0;
}

const delegated = [
  "on",
  "once",
  "removeListener",
  "removeAllListeners",
  "send",
  "bind",
  "bindSync",
  "connect",
  "close",
];
for (const name of delegated) {
  Socket.prototype[name] = function (...args) {
    const result = this._inner[name](...args);
    return result === this._inner ? this : result;
  };
}

// zeromq 6 has no identity on pub and rep sockets; jmp sets it on all of them.
Object.defineProperty(Socket.prototype, "identity", {
  set(value) {
    if (this._type === "router") this._inner.identity = value;
  },
});

const createSocket = (type) => new Socket(type);
module.exports = { ...compat, Socket, createSocket, socket: createSocket };
