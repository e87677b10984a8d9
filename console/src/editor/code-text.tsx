import { syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { COLORS, LANGUAGES, type Language, LOOK } from './code-editor.tsx';

/** Code that is only read, in a shadow tree as the editor of code. */
export default function CodeText({ label, language, text }: { label: string; language: Language; text: string }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = host.current;
    if (!box) return undefined;
    const root = box.shadowRoot ?? box.attachShadow({ mode: 'open' });
    const extensions = [
      lineNumbers(), EditorView.lineWrapping, LANGUAGES[language](), syntaxHighlighting(COLORS), LOOK,
      EditorState.readOnly.of(true), EditorView.contentAttributes.of({ 'aria-label': label }),
    ];
    const editor = new EditorView({ root, parent: root, state: EditorState.create({ doc: text, extensions }) });
    editor.dom.style.height = '100%';
    return () => editor.destroy();
  }, [label, language, text]);
  return <div className="editor" ref={host} />;
}
