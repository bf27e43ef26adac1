// Inside the sandboxed frame, which is of no origin, and whose policy lets its worker compile WebAssembly and ask
// nobody for anything. The frame makes the worker, hands on what the page and the worker say, and ends the worker
// when the page says so. Before this text the build puts MODEL_WORKER, the worker's first script.
(() => {
  const url = URL.createObjectURL(new Blob([globalThis.MODEL_WORKER], { type: "text/javascript" }));
  const tell = (message) => parent.postMessage(message, "*"); // a page on a disk has no origin to name
  let worker;

  function start() {
    worker = new Worker(url);
    worker.onmessage = ({ data }) => tell(data);
    worker.onerror = (event) => tell({ what: "broken", sentence: event.message });
  }

  addEventListener("message", ({ source, data }) => {
    if (source !== parent) return;
    if (data.what !== "end") return worker.postMessage(data);
    worker.onerror = null; // what it was loading fails when it ends, and is no fault of the next one
    worker.terminate();
    start();
  });

  try {
    start();
    tell({ what: "ready" });
  } catch (error) {
    tell({ what: "broken", sentence: String(error) });
  }
})();
