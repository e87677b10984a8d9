import type { Announcements, UniqueIdentifier } from '@dnd-kit/core';
import { texts } from '../texts.ts';

/** What a screen reader says while something is moved through a list. */
export function announcementsFor(ids: readonly UniqueIdentifier[], nameOf: (id: UniqueIdentifier) => string): Announcements {
  const place = (id: UniqueIdentifier | undefined) => ids.findIndex((each) => each === id) + 1;
  return {
    onDragStart: ({ active }) => texts.tools.lifted(nameOf(active.id), place(active.id), ids.length),
    onDragOver: ({ active, over }) => (over ? texts.tools.over(nameOf(active.id), place(over.id), ids.length) : undefined),
    onDragEnd: ({ active, over }) => texts.tools.put(nameOf(active.id), place(over?.id ?? active.id), ids.length),
    onDragCancel: ({ active }) => texts.tools.putBack(nameOf(active.id)),
  };
}
