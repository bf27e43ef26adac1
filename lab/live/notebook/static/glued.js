// An extension of JupyterLab, as it loads them: a container of modules, made by hand, because one file needs no bundler.
// The numbers that stand in the text of a chapter when it is opened (lab/live/notebooks.py) are replaced by those that a
// cell glues when it runs; what is saved is the same as before.

(() => {
  const GLUED_TYPE = "application/papermill.record/text/plain";
  const FILLED_LINK = /\[(?:[^\]\\]|\\.)*\]\(#glue:([^)\s]+)\)/g;
  const SPECIAL = /([\\`*_[\]$<])/g;

  /** A text as the kernels write it for MyST-NB: quoted, or a number as it is. */
  function unquoted(text) {
    const quote = text[0];
    if (!(quote === "'" || quote === '"') || text.at(-1) !== quote || text.length < 2) return text;
    const codes = { n: "\n", t: "\t", r: "\r" };
    return text
      .slice(1, -1)
      .replace(/\\(?:x([\da-f]{2})|u([\da-f]{4})|U([\da-f]{8})|(.))/gi, (_, x, u, long, one) =>
        one === undefined
          ? String.fromCodePoint(Number.parseInt(x ?? u ?? long, 16))
          : (codes[one] ?? one),
      );
  }

  /** What the outputs of a cell glue: name → text. */
  function gluedBy(outputs) {
    const values = new Map();
    for (let i = 0; i < outputs.length; i++) {
      const { data, metadata } = outputs.get(i).toJSON();
      const name = metadata?.scrapbook?.name;
      if (name && data?.[GLUED_TYPE] !== undefined)
        values.set(name, unquoted([data[GLUED_TYPE]].flat().join("")));
    }
    return values;
  }

  function fill(notebook, values) {
    for (const { model } of notebook.widgets) {
      if (model.type !== "markdown") continue;
      const text = model.sharedModel.getSource();
      const now = text.replace(FILLED_LINK, (written, name) =>
        values.has(name)
          ? `[${values.get(name).replace(SPECIAL, "\\$1")}](#glue:${name})`
          : written,
      );
      if (now !== text) model.sharedModel.setSource(now);
    }
  }

  const pluginOf = ({ NotebookActions }) => ({
    id: "lab-glued:plugin",
    description: "Shows the numbers that cells glue in the text of a chapter.",
    autoStart: true,
    activate: () => {
      NotebookActions.executed.connect((_, { notebook, cell }) => {
        if (cell.model.type !== "code") return;
        const values = gluedBy(cell.model.outputs);
        if (values.size > 0) fill(notebook, values);
      });
    },
  });

  /** JupyterLab's own copy of a package: another would know nothing of its notebooks. */
  async function own(shareScope, name) {
    const [version] = Object.values(shareScope[name]);
    return (await version.get())();
  }

  let shareScope;
  globalThis._JUPYTERLAB ??= {};
  globalThis._JUPYTERLAB["lab-glued"] = {
    init: (scope) => {
      shareScope = scope;
    },
    get: async () => {
      const plugin = pluginOf(await own(shareScope, "@jupyterlab/notebook"));
      return () => ({ __esModule: true, default: plugin });
    },
  };
})();
