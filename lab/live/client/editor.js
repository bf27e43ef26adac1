// The editor of a cell: loaded with the first Edit. What differs from the book's program is marked as it is typed.

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { python } from "@codemirror/lang-python";
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from "@codemirror/language";
import { unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

// The colours of the page's listings, in the light and in the dark.
const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.controlKeyword, tags.operatorKeyword], class: "lab-ed-keyword" },
  { tag: [tags.string, tags.special(tags.string)], class: "lab-ed-string" },
  { tag: [tags.number, tags.bool, tags.null], class: "lab-ed-number" },
  { tag: [tags.comment, tags.meta], class: "lab-ed-comment" },
  {
    tag: [tags.function(tags.variableName), tags.function(tags.propertyName)],
    class: "lab-ed-name",
  },
]);

/** An editor in `place`; `changed(text)` is called while it is typed in, `run()` for Ctrl-Enter and Shift-Enter. */
export function edit({ place, text, book, language, label, changed: onChange, run, leave }) {
  const start = () => {
    run();
    return true;
  };
  const state = EditorState.create({
    doc: text,
    extensions: [
      lineNumbers(),
      history(),
      drawSelection(),
      indentOnInput(),
      bracketMatching(),
      indentUnit.of(language === "python" ? "    " : "  "),
      language === "python" ? python() : javascript(),
      syntaxHighlighting(colours),
      // Tab stays the key that leads on: who has no pointer must be able to leave.
      keymap.of([
        { key: "Ctrl-Enter", mac: "Cmd-Enter", run: start },
        { key: "Shift-Enter", run: start },
        {
          key: "Escape",
          run: () => {
            leave();
            return true;
          },
        },
        ...defaultKeymap,
        ...historyKeymap,
      ]),
      unifiedMergeView({
        original: book,
        mergeControls: false,
        gutter: true,
        syntaxHighlightDeletions: false,
        allowInlineDiffs: false, // the book's line above yours,
      }),
      EditorView.lineWrapping, // nothing to scroll sideways, with or without a pointer
      EditorView.contentAttributes.of({ "aria-label": label }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) onChange(update.state.doc.toString());
      }),
    ],
  });
  const view = new EditorView({ state, parent: place });
  return {
    focus: () => view.focus(),
    get text() {
      return view.state.doc.toString();
    },
    set text(now) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: now } });
    },
    close: () => view.destroy(),
  };
}
