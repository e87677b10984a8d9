/** The metadata of a render that is only a preview. */
export const PREVIEW = { name: 'console', value: 'preview' } as const;
