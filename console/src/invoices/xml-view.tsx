import { defaultKeymap } from '@codemirror/commands';
import { xml } from '@codemirror/lang-xml';
import { codeFolding, foldGutter, foldKeymap, syntaxHighlighting } from '@codemirror/language';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { COLORS, LOOK } from '../editor/code-editor.tsx';
import type { Level } from './findings.ts';

type Range = { from: number; to: number };
export type Mark = Range & { level: Level };
type Props = {
  label: string;
  text: string;
  /** Places of findings. */
  marks: readonly Mark[];
  /** The place to show; each new object is a new wish. */
  goal: Range | null;
  /** Somebody went to an offset. */
  onPlace: (offset: number) => void;
};

const setPlaces = StateEffect.define<{ marks: readonly Mark[]; goal: Range | null }>();
const PLACES = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(found, transaction) {
    for (const effect of transaction.effects) if (effect.is(setPlaces)) return decorations(effect.value, transaction.state.doc.length);
    return found;
  },
  provide: (field) => EditorView.decorations.from(field),
});
const MARKED = EditorView.theme({
  '.place-error': { textDecoration: 'underline wavy var(--bad) 1px', textUnderlineOffset: '3px' },
  '.place-warning': { textDecoration: 'underline wavy var(--waiting) 1px', textUnderlineOffset: '3px' },
  '.place-goal': { backgroundColor: 'var(--selection)', borderRadius: '2px' },
});

/** The text of an XML, which can be read, searched and folded, with the places of its findings. */
export default function XmlView(props: Props) {
  const { label, text, marks, goal } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    const box = host.current;
    if (!box) return undefined;
    const root = box.shadowRoot ?? box.attachShadow({ mode: 'open' });
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(), foldGutter(), codeFolding(), drawSelection(), highlightSelectionMatches(),
          EditorState.readOnly.of(true), xml(), syntaxHighlighting(COLORS), LOOK, MARKED, PLACES,
          keymap.of([...defaultKeymap, ...foldKeymap, ...searchKeymap]),
          EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true', tabindex: '0' }),
          EditorView.updateListener.of((update) => {
            const isOwn = update.transactions.some((each) => each.isUserEvent('select'));
            if (isOwn && update.selectionSet && update.state.selection.main.empty) latest.current.onPlace(update.state.selection.main.head);
          }),
        ],
      }),
    });
    editor.dom.style.height = '100%';
    view.current = editor;
    return () => { editor.destroy(); view.current = null; };
  }, [text, label]);

  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    const scroll = goal ? [EditorView.scrollIntoView(Math.min(goal.from, editor.state.doc.length), { y: 'center' })] : [];
    editor.dispatch({ effects: [setPlaces.of({ marks, goal }), ...scroll] });
  }, [marks, goal, text]);

  return <div className="editor" ref={host} />;
}

function decorations({ marks, goal }: { marks: readonly Mark[]; goal: Range | null }, length: number): DecorationSet {
  const ranges = [
    ...marks.map((mark) => ({ ...mark, className: `place-${mark.level}` })),
    ...(goal ? [{ ...goal, className: 'place-goal' }] : []),
  ].filter(({ from, to }) => from < to && to <= length);
  return Decoration.set(ranges.map(({ from, to, className }) => Decoration.mark({ class: className }).range(from, to)), true);
}
