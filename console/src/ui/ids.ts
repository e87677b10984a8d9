/** The views of one thing, by the prefix of its id. */
const VIEWS: Record<string, string> = {
  bat: '/batches/',
  dst: '/deliveries/storage/',
  emc: '/deliveries/emails/connections/',
  emr: '/deliveries/emails/rules/',
  ems: '/deliveries/emails/sends/',
  lnk: '/deliveries/links/',
  rnd: '/renders/',
  tpl: '/templates/',
  whe: '/deliveries/webhooks/',
};
const ID = /^([a-z]{2,5})_[0-9A-Za-z]+$/;

/** The route of the view of an id, or null if there is none. */
export function placeOfId(id: string): string | null {
  const view = VIEWS[ID.exec(id)?.[1] ?? ''];
  return view === undefined ? null : `${view}${id}`;
}
