import type { ClipboardEvent } from 'react';
import { added, chosenLayers, pasted, removed, type Result } from './actions.ts';
import type { Editing } from './history.ts';
import { copiedText, newLayer, readCopied } from './model.ts';

/** Copy, cut and paste layers by the clipboard; a text that is no layer becomes a text layer. */
export function clipboardHandlers(editing: Editing, isFixed: boolean) {
  const { scene, selected } = editing;
  const copy = (event: ClipboardEvent): boolean => {
    if (isInText(event) || selected.length === 0) return false;
    event.preventDefault();
    event.clipboardData.setData('text/plain', copiedText(chosenLayers(scene, selected)));
    return true;
  };
  return {
    onCopy: (event: ClipboardEvent) => { copy(event); },
    onCut: (event: ClipboardEvent) => {
      if (copy(event) && !isFixed) apply(editing, removed(scene, selected));
    },
    onPaste: (event: ClipboardEvent) => {
      if (isInText(event) || isFixed) return;
      const text = event.clipboardData.getData('text/plain');
      if (text.trim() === '') return;
      event.preventDefault();
      const layers = readCopied(text);
      const above = selected.at(-1) ?? null;
      apply(editing, layers ? pasted(scene, layers, above) : added(scene, [{ ...newLayer('text', { x: scene.width / 2, y: scene.height / 2 }, scene), text }], null));
    },
  };
}

/** Take over the result of an action. */
export function apply(editing: Editing, result: Result): void {
  editing.change(() => result.scene, { selected: result.selected });
}

function isInText(event: ClipboardEvent): boolean {
  return (event.target as Element).closest('input, textarea, select, [contenteditable]') !== null || !(getSelection()?.isCollapsed ?? true);
}
