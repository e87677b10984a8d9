import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { syntaxHighlighting } from '@codemirror/language';
import { MergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { texts } from '../texts.ts';
import { COLORS, LANGUAGES, type Language, LOOK } from './code-editor.tsx';

type Props = {
  /** Another name is another pair of texts. */
  name: string;
  language: Language;
  left: { label: string; text: string };
  right: { label: string; text: string };
  /** Makes the right text one that can be edited, with arrows that take a change from the left. */
  onChange?: (text: string) => void;
};

const DIFF_LOOK = EditorView.theme({
  '.cm-changedLine': { backgroundColor: 'var(--diff-line)' },
  '.cm-changedText': { background: 'var(--diff-text) !important', borderRadius: '2px' },
  '.cm-merge-revert': { width: '28px' },
  '.cm-merge-revert button': { width: '24px', height: '20px', padding: '0', border: 'none', borderRadius: '4px', background: 'none', color: 'var(--accent)', font: '600 14px/20px var(--sans)', cursor: 'pointer' },
  '.cm-merge-revert button:hover': { background: 'var(--hover)' },
  '.cm-deletedChunk': { backgroundColor: 'var(--bad-ground)' },
  '.cm-collapsedLines': { background: 'var(--hover)', color: 'var(--second)', fontFamily: 'var(--sans)' },
});

/** A button between the texts that takes one change over. */
function takeButton(): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = '→';
  button.ariaLabel = texts.conflict.take;
  button.title = texts.conflict.take;
  return button;
}

/** Two texts beside each other with their differences, in a shadow tree as the editor of code. */
export default function SideBySide(props: Props) {
  const { name, language, left, right, onChange } = props;
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const isEditable = onChange !== undefined;

  useEffect(() => {
    const box = host.current;
    if (!box) return undefined;
    const root = box.shadowRoot ?? box.attachShadow({ mode: 'open' });
    const shared = (label: string): Extension[] => [
      lineNumbers(), EditorView.lineWrapping, LANGUAGES[language](), syntaxHighlighting(COLORS), LOOK, DIFF_LOOK,
      EditorView.contentAttributes.of({ 'aria-label': label }),
    ];
    const fixed = [EditorState.readOnly.of(true)];
    const edited = [
      history(), keymap.of([...defaultKeymap, ...historyKeymap]),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) latest.current.onChange?.(update.state.doc.toString());
      }),
    ];
    const merge = new MergeView({
      root,
      parent: root,
      a: { doc: latest.current.left.text, extensions: [...shared(left.label), ...fixed] },
      b: { doc: latest.current.right.text, extensions: [...shared(right.label), ...(isEditable ? edited : fixed)] },
      collapseUnchanged: { margin: 3, minSize: 6 },
      ...(isEditable ? { revertControls: 'a-to-b' as const, renderRevertControl: takeButton } : {}),
    });
    merge.dom.style.height = '100%';
    merge.dom.style.overflow = 'auto';
    return () => merge.destroy();
  }, [name, language, left.label, right.label, isEditable]);

  return <div className="editor" ref={host} />;
}
