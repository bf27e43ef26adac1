// The editor of a program: line numbers, colours, the mark of a line that is wrong. It is a third of the size of
// the one of live pages, which parses what is typed and compares it with the book's program.
import { history, historyKeymap } from "@codemirror/commands";
import { EditorSelection, EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { wordsOf } from "./words.js";

const MOST_COLOURED = 100_000; // characters
const marks = Object.fromEntries(
  ["keyword", "string", "number", "comment", "name"].map((kind) => [
    kind,
    Decoration.mark({ class: `lab-ed-${kind}` }),
  ]),
);

const coloursOf = (doc) =>
  doc.length > MOST_COLOURED
    ? Decoration.none
    : Decoration.set(
        wordsOf(doc.toString()).map(([from, to, kind]) => marks[kind].range(from, to)),
      );
const colours = StateField.define({
  create: ({ doc }) => coloursOf(doc),
  update: (decorations, { docChanged: isChanged, state }) =>
    isChanged ? coloursOf(state.doc) : decorations,
  provide: (field) => EditorView.decorations.from(field),
});

const marked = StateEffect.define(); // the number of a line, or null
const wrongLine = Decoration.line({ class: "lab-ed-wrong" });
const mark = StateField.define({
  create: () => Decoration.none,
  update(decorations, transaction) {
    const { effects, state } = transaction;
    for (const effect of effects)
      if (effect.is(marked)) {
        const { doc } = state;
        const isThere = effect.value >= 1 && effect.value <= doc.lines;
        return isThere
          ? Decoration.set([wrongLine.range(doc.line(effect.value).from)])
          : Decoration.none;
      }
    return transaction.docChanged ? Decoration.none : decorations;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** A new line as far in as the one before, and further after an opening bracket. */
function newLine({ state, dispatch }) {
  const changes = state.changeByRange(({ from, to }) => {
    const line = state.doc.lineAt(from);
    const before = line.text.slice(0, from - line.from);
    const indent = /^\s*/.exec(before)[0] + (/[([{]\s*$/.test(before) ? "  " : "");
    const insert = state.lineBreak + indent;
    return {
      changes: { from, to, insert },
      range: EditorSelection.cursor(from + insert.length),
    };
  });
  dispatch(state.update(changes, { scrollIntoView: true, userEvent: "input" }));
  return true;
}

/** An editor in `place`; `onchange(text)` is called while it is typed in, `run()` for Ctrl-Enter, `leave()` for Escape. */
globalThis.labModelEditor = function edit({ place, text, label, onchange, run, leave }) {
  const command = (action) => () => {
    action();
    return true;
  };
  const view = new EditorView({
    parent: place,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        colours,
        mark,
        // Tab stays the key that leads on: a reader without a pointer must be able to leave.
        keymap.of([
          { key: "Mod-Enter", run: command(run) },
          { key: "Ctrl-Enter", run: command(run) },
          { key: "Escape", run: command(leave) },
          { key: "Enter", run: newLine },
          ...historyKeymap,
        ]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          "aria-label": label,
          spellcheck: "false",
          tabindex: "0",
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onchange(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    focus(at = 0) {
      view.dispatch({ selection: { anchor: Math.min(at, view.state.doc.length) } });
      view.focus();
    },
    get text() {
      return view.state.doc.toString();
    },
    set text(now) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: now } });
    },
    mark: (line) => view.dispatch({ effects: marked.of(line) }),
    close: () => view.destroy(),
  };
};
