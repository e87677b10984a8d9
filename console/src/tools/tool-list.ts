/** The tools, in the groups in which people look for them. */
export const GROUPS = {
  pages: ['merge', 'split', 'extract-pages', 'delete-pages', 'rotate', 'reorder'],
  marks: ['watermark', 'stamp', 'attach', 'fill-form', 'flatten', 'metadata'],
  safety: ['protect', 'unlock'],
  formats: ['compress', 'to-images', 'to-text', 'pdfa', 'validate'],
} as const;

export type Group = keyof typeof GROUPS;
export type Tool = (typeof GROUPS)[Group][number];

export const TOOLS = Object.values(GROUPS).flat() as Tool[];

/** What a click on a page means: it is chosen, begins a part, or is dragged to another place. */
export const PAGE_MODES: Partial<Record<Tool, 'choose' | 'cut' | 'order'>> = {
  'extract-pages': 'choose',
  'delete-pages': 'choose',
  rotate: 'choose',
  watermark: 'choose',
  stamp: 'choose',
  'to-images': 'choose',
  split: 'cut',
  reorder: 'order',
};
/** Options that pages and files on the left stand for. */
export const BY_HAND = new Set(['reorder.order', 'attach.attachments', 'fill-form.fields', 'split.ranges']);
