import { one } from '../playground/search.ts';

export const SCENE_VIEWS = ['design', 'preview'] as const;
export type SceneMode = (typeof SCENE_VIEWS)[number];
/** In a narrow window one part is shown at a time. */
export const SCENE_PARTS = ['surface', 'layers', 'properties'] as const;
export type ScenePart = (typeof SCENE_PARTS)[number];

export type SceneSearch = {
  view?: SceneMode;
  part?: ScenePart;
  /** The selected layer, by its indexes from the bottom, such as `2-0`. */
  layer?: string;
  /** The dataset whose values are shown. */
  dataset?: string;
};

export function sceneSearch(given: Record<string, unknown>): SceneSearch {
  // The router reads `layer=2` as a number.
  const layer = String(given.layer ?? '');
  return {
    ...one('view', SCENE_VIEWS, given.view),
    ...one('part', SCENE_PARTS, given.part),
    ...(/^\d+(-\d+)*$/.test(layer) ? { layer } : {}),
    ...(typeof given.dataset === 'string' ? { dataset: given.dataset } : {}),
  };
}
