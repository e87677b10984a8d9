import * as Menu from '@radix-ui/react-dropdown-menu';
import type { ReactNode } from 'react';
import { texts } from '../texts.ts';
import { Icon } from '../ui/icons.tsx';
import { added, aligned, canGroup, chosenLayers, distributed, grouped, type Order, ordered, pasted, removed, ungrouped } from './actions.ts';
import { apply } from './clipboard.ts';
import type { Alignment } from './geometry.ts';
import type { Snap } from './gestures.ts';
import type { Editing } from './history.ts';
import { LAYER_TYPES, newLayer, type LayerType } from './model.ts';

type Props = { editing: Editing; isFixed: boolean; snap: Snap; onSnap: (snap: Snap) => void; children: ReactNode };

const ALIGNMENTS: readonly Alignment[] = ['left', 'center', 'right', 'top', 'middle', 'bottom'];
const ORDERS: readonly Order[] = ['front', 'forward', 'backward', 'back'];
const GRIDS = [null, 4, 8, 10, 16];

/** What can be added to a scene and done with the selected layers. */
export function Toolbar({ editing, isFixed, snap, onSnap, children }: Props) {
  const { scene, selected, canUndo, canRedo } = editing;
  const chosen = chosenLayers(scene, selected);
  const none = isFixed || selected.length === 0;
  return (
    <div className="scene-bar" role="toolbar" aria-label={texts.scene.tools}>
      <ToolMenu name={texts.scene.add} isDisabled={isFixed} isPrimary>
        {LAYER_TYPES.filter((type) => type !== 'group').map((type) => <Item key={type} text={texts.scene.types[type]} onSelect={() => addLayer(editing, type)} />)}
      </ToolMenu>
      <ToolMenu name={texts.scene.align} isDisabled={none}>
        {ALIGNMENTS.map((each) => <Item key={each} text={texts.scene.alignments[each]} onSelect={() => editing.change((before) => aligned(before, selected, each))} />)}
        <Menu.Separator className="menu-line" />
        <Item text={texts.scene.distributeX} isDisabled={chosen.length < 3} onSelect={() => editing.change((before) => distributed(before, selected, true))} />
        <Item text={texts.scene.distributeY} isDisabled={chosen.length < 3} onSelect={() => editing.change((before) => distributed(before, selected, false))} />
      </ToolMenu>
      <ToolMenu name={texts.scene.arrange} isDisabled={none}>
        {ORDERS.map((each) => <Item key={each} text={texts.scene.orders[each]} keys={texts.scene.orderShortcuts[each]} onSelect={() => editing.change((before) => ordered(before, selected, each))} />)}
        <Menu.Separator className="menu-line" />
        <Item text={texts.scene.group} keys="Ctrl G" isDisabled={!canGroup(scene, selected)} onSelect={() => apply(editing, grouped(scene, selected))} />
        <Item text={texts.scene.ungroup} keys="Ctrl ⇧ G" isDisabled={!chosen.some(({ type }) => type === 'group')} onSelect={() => apply(editing, ungrouped(scene, selected))} />
        <Menu.Separator className="menu-line" />
        <Item text={texts.scene.duplicate} keys="Ctrl D" onSelect={() => apply(editing, pasted(scene, chosen, selected.at(-1) ?? null))} />
        <Item text={texts.scene.remove} keys="Del" onSelect={() => apply(editing, removed(scene, selected))} />
      </ToolMenu>
      <ToolMenu name={texts.scene.snap}>
        <Menu.CheckboxItem className="menu-item check" checked={snap.edges} onCheckedChange={(edges) => onSnap({ ...snap, edges })} onSelect={(event) => event.preventDefault()}>{texts.scene.snapEdges}<Menu.ItemIndicator>✓</Menu.ItemIndicator></Menu.CheckboxItem>
        <Menu.Separator className="menu-line" />
        <Menu.RadioGroup value={String(snap.grid)} onValueChange={(value) => onSnap({ ...snap, grid: value === 'null' ? null : Number(value) })}>
          {GRIDS.map((grid) => <Menu.RadioItem key={String(grid)} value={String(grid)} className="menu-item check">{grid === null ? texts.scene.noGrid : texts.scene.grid(grid)}<Menu.ItemIndicator>✓</Menu.ItemIndicator></Menu.RadioItem>)}
        </Menu.RadioGroup>
      </ToolMenu>
      <button type="button" className="button quiet-button" disabled={!canUndo} onClick={editing.undo} aria-keyshortcuts="Control+Z Meta+Z">{texts.scene.undo}</button>
      <button type="button" className="button quiet-button" disabled={!canRedo} onClick={editing.redo} aria-keyshortcuts="Control+Shift+Z Meta+Shift+Z">{texts.scene.redo}</button>
      <span className="spacer" />
      {children}
    </div>
  );
}

/** Add a layer in the middle of the page, and select it. */
export function addLayer(editing: Editing, type: LayerType): void {
  const { scene } = editing;
  apply(editing, added(scene, [newLayer(type, { x: scene.width / 2, y: scene.height / 2 }, scene)], null));
}

function ToolMenu({ name, isDisabled = false, isPrimary = false, children }: { name: string; isDisabled?: boolean; isPrimary?: boolean; children: ReactNode }) {
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className={isPrimary ? 'button' : 'button quiet-button'} disabled={isDisabled}>{name}<Icon name="down" /></Menu.Trigger>
      <Menu.Portal>
        <Menu.Content className="menu" align="start" sideOffset={4} onCloseAutoFocus={(event) => { event.preventDefault(); document.querySelector<HTMLElement>('.surface')?.focus({ preventScroll: true }); }}>{children}</Menu.Content>
      </Menu.Portal>
    </Menu.Root>
  );
}

function Item({ text, keys, isDisabled = false, onSelect }: { text: string; keys?: string | undefined; isDisabled?: boolean; onSelect: () => void }) {
  return <Menu.Item className="menu-item check" disabled={isDisabled} onSelect={onSelect}>{text}{keys && <kbd>{keys}</kbd>}</Menu.Item>;
}
