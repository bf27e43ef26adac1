// The Loop Lab: any program, the book's examples, a link that carries a program, and traces of a reader's own Node.
import { programIn } from "./share.js";

const { el, button } = globalThis.LabDom;
const examples = EXAMPLES; // [{title, name, source}], put here by bundle.mjs
const STORED = "lab-model:program";

globalThis.LabSimulator.lab = async (place) => {
  const storedProgram = globalThis.LabDom.storage.read(STORED);
  const isProgram = (program) =>
    typeof program?.source === "string" && /^[\w.-]+$/.test(program.name ?? "");
  const [first] = examples;
  const panelPlace = el("div");
  const note = el("p", { class: "lab-change-note", role: "status" });
  const choice = el(
    "select",
    { "aria-label": "Example", onchange: () => choose(Number(choice.value)) },
    el("option", { value: -1 }, "choose an example …"),
    ...examples.map(({ title }, at) => el("option", { value: at }, title)),
  );
  const file = el("input", {
    type: "file",
    accept: ".js,.mjs,.cjs,text/javascript",
    "aria-label": "Open a program from a file",
    hidden: true,
    onchange: () => read(file.files[0]),
  });
  place.replaceChildren(
    el(
      "p",
      { class: "lab-change-pick" },
      choice,
      button("Open a file", () => file.click()),
      file,
    ),
    note,
    panelPlace,
  );
  const panel = globalThis.LabSimulator.open({
    place: panelPlace,
    isLab: true,
    ...(isProgram(storedProgram) ? storedProgram : first),
  });
  if (isProgram(storedProgram)) panel.original = storedProgram.source;

  function choose(at) {
    if (at < 0) return;
    show(examples[at], "");
  }

  function show(program, text) {
    note.textContent = text;
    panel.show(program);
    keep();
  }

  /** Keeps the program for the next visit, which would find that of a link first if the address still had one. */
  function keep() {
    globalThis.LabDom.storage.write(STORED, { name: panel.name, source: panel.text });
    if (/[#&]z=/.test(location.hash)) history.replaceState(null, "", location.href.split("#")[0]);
  }
  panel.onchange = keep;

  async function read(programFile) {
    if (!programFile) return;
    file.value = "";
    if (programFile.size > 400_000) {
      note.textContent =
        `${programFile.name} is too long. The model takes programs of up to ` +
        "100,000 characters.";
      return;
    }
    const name = /^[\w-][\w.-]*\.[cm]?js$/.test(programFile.name)
      ? programFile.name
      : "program.mjs";
    show(
      { name, source: await programFile.text() },
      `${programFile.name} is open. Nothing has run yet.`,
    );
  }

  /** The program of a link is shown, and waits: whoever made the link does not press Run. */
  async function fromLink() {
    let program = null;
    try {
      program = await programIn(location.hash);
    } catch (error) {
      note.textContent = error.message;
      return;
    }
    if (!program) return;
    note.textContent =
      "This program came with the link. Read it first, because nothing has run yet.";
    panel.show(program); // what the reader wrote before is kept until the reader changes this one
    if (program.node in globalThis.LabSimulator.nodes) panel.take(program.node);
  }

  addEventListener("hashchange", fromLink);
  await fromLink();
};
