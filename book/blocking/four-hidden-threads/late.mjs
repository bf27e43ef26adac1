process.env.UV_THREADPOOL_SIZE = "8"; // the first line of the program
await import("./open-pipes.cjs");
