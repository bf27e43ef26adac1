// What every page does: downloads that also work from disk, and light colours on paper.

(() => {
  // From disk a browser shows a linked file instead of saving it, and lets no script read it. It does run a script
  // that lies beside it and hands over the text.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[download]");
    if (!link || location.protocol !== "file:" || !link.href.startsWith("file:")) return;
    event.preventDefault();
    const script = document.createElement("script");
    globalThis.labFile = (text) => {
      const url = URL.createObjectURL(new Blob([text]));
      const save = document.createElement("a");
      save.href = url;
      save.download = link.download;
      save.click();
      setTimeout(() => URL.revokeObjectURL(url), 60_000); // the browser may be asking where to
    };
    script.onload = () => script.remove();
    script.onerror = () => location.assign(link.href);
    script.src = `${link.href}.js`;
    document.head.append(script);
  });

  const { dataset } = document.documentElement;
  let shown = null;
  addEventListener("beforeprint", () => {
    shown ??= dataset.theme;
    dataset.theme = "light";
  });
  addEventListener("afterprint", () => {
    if (shown) dataset.theme = shown;
    shown = null;
  });
})();
