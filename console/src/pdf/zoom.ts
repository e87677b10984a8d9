export const ZOOMS = ['width', 'page', 'full'] as const;
export type Zoom = (typeof ZOOMS)[number];
