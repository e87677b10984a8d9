import { closestCenter, DndContext, type DragEndEvent, KeyboardSensor, PointerSensor, useSensor, useSensors } from '@dnd-kit/core';
import { SortableContext, sortableKeyboardCoordinates, useSortable, verticalListSortingStrategy } from '@dnd-kit/sortable';
import { CSS } from '@dnd-kit/utilities';
import { lazy, type ReactNode, Suspense, useId, useState } from 'react';
import { texts } from '../texts.ts';
import { shownBytes } from '../ui/format.ts';
import { announcementsFor } from './announcements.ts';
import type { ToolOptions } from './request.ts';
import type { Source, Sources } from './sources.ts';
import type { Tool } from './tool-list.ts';

const PageGrid = lazy(() => import('./page-grid.tsx'));

type Props = {
  sources: Sources;
  tool: Tool;
  chosen: Source | undefined;
  onChoose: (key: string) => void;
  options: ToolOptions;
  onOption: (name: string, value: unknown) => void;
};

/** The dropped files as rows with their pages; merge takes them in the order of the rows. */
export function SourceRows({ sources, tool, chosen, onChoose, options, onOption }: Props) {
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const { list } = sources;
  const drop = ({ active, over }: DragEndEvent) => {
    if (over && active.id !== over.id) sources.move(list.findIndex(({ key }) => key === active.id), list.findIndex(({ key }) => key === over.id));
  };
  const keys = list.map(({ key }) => key);
  const nameOf = (key: unknown) => list.find((each) => each.key === key)?.file.name ?? '';
  return (
    <DndContext sensors={sensors} collisionDetection={closestCenter} onDragEnd={drop} accessibility={{ announcements: announcementsFor(keys, nameOf) }}>
      <SortableContext items={keys} strategy={verticalListSortingStrategy}>
        <ol className="source-rows">
          {list.map((source) => {
            const isUsed = tool === 'merge' || source === chosen;
            return (
              <Row key={source.key} source={source} sources={sources} isUsed={isUsed} isOrdered={tool === 'merge' && list.length > 1} onChoose={() => onChoose(source.key)}>
                {source.pdf && isUsed && (
                  <Suspense fallback={<div className="page-grid" />}>
                    <PageGrid pdf={source.pdf} tool={tool} options={options} onChange={onOption} />
                  </Suspense>
                )}
              </Row>
            );
          })}
        </ol>
      </SortableContext>
    </DndContext>
  );
}

type RowProps = { source: Source; sources: Sources; isUsed: boolean; isOrdered: boolean; onChoose: () => void; children: ReactNode };

function Row({ source, sources, isUsed, isOrdered, onChoose, children }: RowProps) {
  const { attributes, listeners, setNodeRef, transform, transition } = useSortable({ id: source.key, disabled: !isOrdered });
  const { name, size } = source.file;
  return (
    <li ref={setNodeRef} className={isUsed ? 'source-row' : 'source-row unused'} style={{ transform: CSS.Translate.toString(transform), transition }}>
      <div className="source-head">
        {isOrdered && <button type="button" className="drag" {...attributes} {...listeners} aria-label={texts.tools.moveFile(name)}>⠿</button>}
        {isUsed ? <b className="file-name">{name}</b> : <button type="button" className="link file-name" onClick={onChoose}>{name}</button>}
        <span className="file-size">{source.pdf ? texts.tools.sizeOf(source.pdf.pages.length, shownBytes(size)) : shownBytes(size)}</span>
        <button type="button" className="link" aria-label={texts.tools.removeFile(name)} onClick={() => sources.remove(source.key)}>{texts.tools.remove}</button>
      </div>
      {source.state === 'locked' && <Unlock source={source} onPassword={(password) => sources.setPassword(source.key, password)} />}
      {source.state === 'unreadable' && <p className="source-fault" role="alert">{texts.tools.unreadable}</p>}
      {children}
    </li>
  );
}

function Unlock({ source, onPassword }: { source: Source; onPassword: (password: string) => void }) {
  const id = useId();
  const [password, setPassword] = useState('');
  return (
    <form className="source-lock" onSubmit={(event) => { event.preventDefault(); onPassword(password); }}>
      <label htmlFor={id}>{source.password === '' ? texts.tools.locked : texts.tools.wrongPassword}</label>
      <input id={id} className="input" type="password" autoComplete="off" value={password} onChange={(event) => setPassword(event.target.value)} />
      <button className="button" disabled={password === ''}>{texts.tools.unlock}</button>
    </form>
  );
}
