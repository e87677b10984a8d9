import { defaultKeymap, history, historyField, historyKeymap } from '@codemirror/commands';
import { css } from '@codemirror/lang-css';
import { html } from '@codemirror/lang-html';
import { json } from '@codemirror/lang-json';
import { bracketMatching, foldGutter, foldKeymap, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { Annotation, EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';

export type Language = 'html' | 'css' | 'json';
/** A remark at a place of the text; lines and columns count from 1. */
export type Remark = { line: number; column: number; message: string; level: 'error' | 'warning' };

export type Goal = { line: number; column: number } | { insert: string };

type Props = {
  /** Another name is another text, with a history of its own. */
  name: string;
  label: string;
  language: Language;
  text: string;
  remarks: readonly Remark[];
  /** A place to go to, or a text to insert at the cursor; each new object is a new wish. */
  goal: Goal | null;
  /** States of the texts by their names, so that a text that is shown again has its history and cursor. */
  memory?: Map<string, unknown>;
  onChange: (text: string) => void;
  onRender: () => void;
};

export const LANGUAGES = { html: () => html(), css: () => css(), json: () => json() };

const FIELDS = { history: historyField };
/** A change that the draft has made, and not whoever types. */
const isFromOutside = Annotation.define<boolean>();

export const COLORS = HighlightStyle.define([
  { tag: [tags.tagName, tags.keyword, tags.propertyName], color: 'var(--code-name)' },
  { tag: [tags.attributeName, tags.className, tags.labelName, tags.typeName], color: 'var(--code-second)' },
  { tag: [tags.string, tags.attributeValue, tags.special(tags.string)], color: 'var(--code-text)' },
  { tag: [tags.number, tags.bool, tags.null, tags.color, tags.unit, tags.atom], color: 'var(--code-value)' },
  { tag: tags.comment, color: 'var(--faint)', fontStyle: 'italic' },
  { tag: [tags.angleBracket, tags.bracket, tags.punctuation, tags.separator], color: 'var(--second)' },
]);

const THEME = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '12.5px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--faint)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '28px', padding: '0 4px 0 8px' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--selection)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--selection)', outline: 'none' },
  '.cm-tooltip, .cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--text)', border: '1px solid var(--line)' },
  '.cm-tooltip': { borderRadius: '6px', padding: '2px', maxWidth: '420px', fontFamily: 'var(--sans)' },
  '.cm-panel input, .cm-panel button': { font: 'inherit', color: 'var(--text)', background: 'var(--surface)', border: '1px solid var(--line)', borderRadius: '4px' },
  '.cm-foldPlaceholder': { background: 'var(--hover)', border: 'none', color: 'var(--second)' },
});

// A long text can be scrolled by keys.
export const LOOK = [THEME, EditorView.contentAttributes.of({ tabindex: '0' })];

/** An editor of code. It lives in a shadow tree, where its styles need no exception of the policy. */
export default function CodeEditor(props: Props) {
  const { name, label, language, text, remarks, goal } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  // The text of the editor: comparing it with a whole document at each key takes long.
  const shown = useRef(text);
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    const box = host.current;
    if (!box) return undefined;
    const root = box.shadowRoot ?? box.attachShadow({ mode: 'open' });
    const extensions = [
      lineNumbers(), foldGutter(), history(), drawSelection(), indentOnInput(), bracketMatching(),
      highlightActiveLine(), highlightActiveLineGutter(), highlightSelectionMatches(), lintGutter(),
      EditorView.lineWrapping,
      keymap.of([
        { key: 'Mod-Enter', run: () => { latest.current.onRender(); return true; } },
        ...defaultKeymap, ...historyKeymap, ...foldKeymap, ...searchKeymap,
      ]),
      LANGUAGES[language](), syntaxHighlighting(COLORS), LOOK,
      EditorView.contentAttributes.of({ 'aria-label': label }),
      EditorView.updateListener.of((update) => {
        if (!update.docChanged) return;
        shown.current = update.state.doc.toString();
        if (!update.transactions.some((each) => each.annotation(isFromOutside))) latest.current.onChange(shown.current);
      }),
    ];
    const kept = latest.current.memory?.get(name) as { doc: string } | undefined;
    const editor = new EditorView({
      root,
      parent: root,
      state: kept?.doc === latest.current.text
        ? EditorState.fromJSON(kept, { extensions }, FIELDS)
        : EditorState.create({ doc: latest.current.text, extensions }),
    });
    shown.current = latest.current.text;
    editor.dom.style.height = '100%';
    view.current = editor;
    return () => {
      latest.current.memory?.set(name, editor.state.toJSON(FIELDS));
      editor.destroy();
      view.current = null;
    };
  }, [name, label, language]);

  useEffect(() => {
    const editor = view.current;
    if (!editor || shown.current === text) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text }, annotations: isFromOutside.of(true) });
  }, [text]);

  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    editor.dispatch(setDiagnostics(editor.state, remarks.map((remark) => diagnostic(editor.state, remark))));
  }, [remarks, name]);

  useEffect(() => {
    const editor = view.current;
    if (!editor || !goal) return;
    if ('insert' in goal) editor.dispatch(editor.state.replaceSelection(goal.insert), { scrollIntoView: true });
    else {
      const at = position(editor.state, goal.line, goal.column);
      editor.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
    }
    editor.focus();
  }, [goal, name]);

  return <div className="editor" ref={host} />;
}

function diagnostic(state: EditorState, { line, column, message, level }: Remark): Diagnostic {
  const from = position(state, line, column);
  const to = Math.max(from, Math.min(from + 1, state.doc.lineAt(from).to));
  return { from, to, message, severity: level };
}

function position(state: EditorState, line: number, column: number): number {
  const found = state.doc.line(Math.max(1, Math.min(line, state.doc.lines)));
  return Math.min(found.from + Math.max(0, column - 1), found.to);
}
