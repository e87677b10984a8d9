import { closestCenter, DndContext, type DragEndEvent, KeyboardSensor, PointerSensor, useSensor, useSensors } from '@dnd-kit/core';
import { rectSortingStrategy, SortableContext, sortableKeyboardCoordinates, useSortable } from '@dnd-kit/sortable';
import { CSS } from '@dnd-kit/utilities';
import type { OpenedPdf } from '../pdf/document.ts';
import { Sheet } from '../pdf/pdf-view.tsx';
import { texts } from '../texts.ts';
import { announcementsFor } from './announcements.ts';
import { pagesOf, partsOf, rangesOf } from './page-ranges.ts';
import type { ToolOptions } from './request.ts';
import { moved } from './sources.ts';
import { PAGE_MODES, type Tool } from './tool-list.ts';

type Props = { pdf: OpenedPdf; tool: Tool; options: ToolOptions; onChange: (name: string, value: unknown) => void };

const WIDTH = 96;
/** Pages that are drawn as thumbnails; a longer document is handled by its options. */
const MAX_SHOWN = 500;

/** The pages of a document, which are chosen, cut or put in order, as the tool wants. */
export default function PageGrid({ pdf, tool, options, onChange }: Props) {
  const mode = PAGE_MODES[tool];
  const count = pdf.pages.length;
  if (mode === 'order') return <Ordered pdf={pdf} order={(options.order as number[] | undefined) ?? all(count)} onChange={(order) => onChange('order', order)} />;
  const chosen = typeof options.pages === 'string' ? pagesOf(options.pages, count) : new Set<number>();
  const ranges = (options.ranges as string[] | undefined) ?? [];
  const starts = new Set(ranges.map((range) => Math.min(...pagesOf(range, count))));
  const toggle = (page: number) => {
    if (mode === 'cut') {
      const cuts = new Set([...starts].filter((each) => each > 1));
      if (!cuts.delete(page)) cuts.add(page);
      onChange('ranges', cuts.size === 0 ? undefined : partsOf(cuts, count));
    } else {
      const next = new Set(chosen);
      if (!next.delete(page)) next.add(page);
      onChange('pages', next.size === 0 ? undefined : rangesOf(next));
    }
  };
  const isOn = (page: number) => (mode === 'cut' ? page > 1 && starts.has(page) : chosen.has(page));
  const degrees = tool === 'rotate' && typeof options.degrees === 'number' ? options.degrees : 0;
  const turned = (page: number) => (degrees !== 0 && (chosen.size === 0 || chosen.has(page)) ? degrees : 0);
  return (
    <>
      {mode && <p className="quiet">{texts.tools.pageHints[mode]}</p>}
      <ol className={`page-grid ${mode ?? ''} ${tool === 'delete-pages' ? 'deleting' : ''}`}>
        {pdf.pages.slice(0, MAX_SHOWN).map((size, index) => {
          const page = index + 1;
          const picture = <span className="page-picture" style={{ transform: `rotate(${turned(page)}deg)` }}><Sheet pdf={pdf} number={page} size={size} scale={WIDTH / Math.max(size.width, size.height)} /></span>;
          return (
            <li key={page}>
              {mode ? (
                <button type="button" aria-pressed={isOn(page)} aria-label={texts.tools.pageLabels[mode](page)} disabled={mode === 'cut' && page === 1} onClick={() => toggle(page)}>{picture}<span>{page}</span></button>
              ) : <span className="page-still">{picture}<span>{page}</span></span>}
            </li>
          );
        })}
      </ol>
      {count > MAX_SHOWN && <p className="quiet">{texts.tools.morePages(count - MAX_SHOWN)}</p>}
    </>
  );
}

/** Pages that are dragged to their places, by pointer or by keyboard. */
function Ordered({ pdf, order, onChange }: { pdf: OpenedPdf; order: number[]; onChange: (order: number[] | undefined) => void }) {
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const shown = order.slice(0, MAX_SHOWN);
  const drop = ({ active, over }: DragEndEvent) => {
    if (!over || active.id === over.id) return;
    onChange(moved(order, order.indexOf(Number(active.id)), order.indexOf(Number(over.id))));
  };
  return (
    <>
      <p className="quiet">{texts.tools.pageHints.order}</p>
      <DndContext sensors={sensors} collisionDetection={closestCenter} onDragEnd={drop} accessibility={{ announcements: announcementsFor(shown, (id) => texts.tools.pageLabels.choose(Number(id))) }}>
        <SortableContext items={shown} strategy={rectSortingStrategy}>
          <ol className="page-grid order">{shown.map((page) => <Movable key={page} pdf={pdf} page={page} />)}</ol>
        </SortableContext>
      </DndContext>
    </>
  );
}

function Movable({ pdf, page }: { pdf: OpenedPdf; page: number }) {
  const { attributes, listeners, setNodeRef, transform, transition } = useSortable({ id: page });
  const size = pdf.pages[page - 1] ?? { width: 1, height: 1 };
  return (
    <li ref={setNodeRef} style={{ transform: CSS.Transform.toString(transform), transition }}>
      <button type="button" {...attributes} {...listeners} aria-label={texts.tools.pageLabels.order(page)}>
        <span className="page-picture"><Sheet pdf={pdf} number={page} size={size} scale={WIDTH / Math.max(size.width, size.height)} /></span>
        <span>{page}</span>
      </button>
    </li>
  );
}

function all(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
