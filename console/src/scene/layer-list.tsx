import { type Announcements, closestCenter, DndContext, type DragEndEvent, KeyboardSensor, PointerSensor, useSensor, useSensors } from '@dnd-kit/core';
import { arrayMove, SortableContext, sortableKeyboardCoordinates, useSortable, verticalListSortingStrategy } from '@dnd-kit/sortable';
import { CSS } from '@dnd-kit/utilities';
import { type KeyboardEvent, memo, type MouseEvent, useMemo } from 'react';
import { texts } from '../texts.ts';
import type { Editing } from './history.ts';
import { type Layer, lineOf, nameOf, withFields, withOrder } from './model.ts';

type Props = { editing: Editing; faulty: ReadonlySet<string>; isFixed: boolean };

/** All layers, the uppermost first. Their order is changed by dragging, or with Space and the arrow keys. */
export function LayerList({ editing, faulty, isFixed }: Props) {
  const { scene, selected, change, select } = editing;
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const drop = ({ active, over }: DragEndEvent) => {
    if (over === null || active.id === over.id) return;
    const parent = parentOf(editing, String(active.id));
    if (parentOf(editing, String(over.id)) !== parent) return;
    change((before) => withOrder(before, parent, (layers) => {
      const index = (id: unknown) => layers.findIndex((layer) => layer.key === id);
      return arrayMove([...layers], index(active.id), index(over.id));
    }));
  };
  const toggle = (key: string, isVisible: boolean) => change((before) => withFields(before, [key], () => ({ visible: isVisible ? false : undefined })));
  const choose = (key: string, isAdding: boolean) => {
    if (!isAdding) select([key]);
    else select(selected.includes(key) ? selected.filter((each) => each !== key) : [...selected, key]);
  };
  if (scene.layers.length === 0) return <p className="quiet layer-none">{texts.scene.noLayers}</p>;
  return (
    <DndContext sensors={sensors} collisionDetection={closestCenter} onDragEnd={drop} accessibility={{ announcements: announcementsOf(editing), screenReaderInstructions: { draggable: texts.scene.orderKeys } }}>
      <Rows layers={scene.layers} depth={0} selected={selected} faulty={faulty} isFixed={isFixed} onChoose={choose} onToggle={toggle} />
    </DndContext>
  );
}

type RowsProps = {
  layers: readonly Layer[];
  depth: number;
  selected: readonly string[];
  faulty: ReadonlySet<string>;
  isFixed: boolean;
  onChoose: (key: string, isAdding: boolean) => void;
  onToggle: (key: string, isVisible: boolean) => void;
};

/** The layers of one parent, which are ordered among themselves. */
function Rows({ layers, depth, ...rest }: RowsProps) {
  const shown = [...layers].reverse();
  const order = shown.map(({ key }) => key).join(' ');
  // The same list as long as the order is the same: a new one draws all rows again.
  const items = useMemo(() => order.split(' '), [order]);
  return (
    <SortableContext items={items} strategy={verticalListSortingStrategy}>
      <ul className="layer-rows">
        {shown.map((layer) => (
          <Row
            key={layer.key}
            layer={layer}
            depth={depth}
            isSelected={rest.selected.includes(layer.key)}
            isFaulty={rest.faulty.has(layer.key)}
            isFixed={rest.isFixed}
            inner={layer.layers && layer.layers.length > 0 ? rest : null}
            onChoose={rest.onChoose}
            onToggle={rest.onToggle}
          />
        ))}
      </ul>
    </SortableContext>
  );
}

type RowProps = Pick<RowsProps, 'onChoose' | 'onToggle' | 'depth' | 'isFixed'> & {
  layer: Layer;
  isSelected: boolean;
  isFaulty: boolean;
  inner: Omit<RowsProps, 'layers' | 'depth'> | null;
};

const Row = memo(function Row({ layer, depth, isSelected, isFaulty, isFixed, inner, onChoose, onToggle }: RowProps) {
  const { attributes, listeners, setNodeRef, transform, transition, isDragging } = useSortable({ id: layer.key });
  const isVisible = layer.visible !== false;
  const name = nameOf(layer);
  const type = texts.scene.types[layer.type];
  const press = (event: MouseEvent | KeyboardEvent) => onChoose(layer.key, event.shiftKey || event.ctrlKey || event.metaKey);
  return (
    <li ref={setNodeRef} className={isDragging ? 'dragged' : ''} style={{ transform: CSS.Translate.toString(transform), transition }}>
      <div className={['layer-row', isSelected && 'selected', isFaulty && 'faulty', !isVisible && 'unseen'].filter(Boolean).join(' ')} style={{ paddingLeft: 8 + depth * 14 }}>
        {!isFixed && <button type="button" className="layer-grip" {...attributes} {...listeners} aria-label={texts.scene.orderOf(name)}><span aria-hidden="true">⠿</span></button>}
        <button type="button" className="layer-name" aria-pressed={isSelected} data-row={layer.key} onClick={press}>
          <bdi>{name}</bdi>
          {name !== type && <span>{type}</span>}
          {isFaulty && <b>{texts.scene.refused}</b>}
        </button>
        {!isFixed && <button type="button" className="link layer-eye" aria-label={`${isVisible ? texts.scene.hide : texts.scene.show}: ${name}`} onClick={() => onToggle(layer.key, isVisible)}>
          {isVisible ? texts.scene.hide : texts.scene.show}
        </button>}
      </div>
      {inner && layer.layers && <Rows layers={layer.layers} depth={depth + 1} {...inner} />}
    </li>
  );
}, (before, after) => before.layer === after.layer && before.isSelected === after.isSelected && before.isFaulty === after.isFaulty && before.isFixed === after.isFixed && before.inner === null && after.inner === null);

/** What a screen reader says while a layer is dragged. */
function announcementsOf({ scene }: Editing): Announcements {
  const name = (item: { id: unknown } | null) => {
    const layer = item && lineOf(scene.layers, String(item.id)).at(-1);
    return layer ? nameOf(layer) : null;
  };
  const said = (text: (name: string, other: string | null) => string) => ({ active, over }: { active: { id: unknown }; over: { id: unknown } | null }) => text(name(active) ?? '', name(over));
  return {
    onDragStart: ({ active }) => texts.scene.lifted(name(active) ?? ''),
    onDragOver: said(texts.scene.carried),
    onDragEnd: said(texts.scene.dropped),
    onDragCancel: ({ active }) => texts.scene.putBack(name(active) ?? ''),
  };
}

function parentOf({ scene }: Editing, key: string): string | null {
  return lineOf(scene.layers, key).at(-2)?.key ?? null;
}
