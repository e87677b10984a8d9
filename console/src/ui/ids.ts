import { BASE_PATH } from '../api/client.ts';

/** The views of one thing, by the prefix of its id. */
const VIEWS: Record<string, string> = {
  rnd: '/renders/',
};
const ID = /^([a-z]{2,5})_[0-9A-Za-z]+$/;

/** The address of the view of an id, or null if there is none. */
export function placeOfId(id: string): string | null {
  const view = VIEWS[ID.exec(id)?.[1] ?? ''];
  return view === undefined ? null : `${BASE_PATH}${view}${id}`;
}
