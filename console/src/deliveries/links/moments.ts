/** A moment of the API as a field of the reader's own time has it. */
export function localMoment(text: string): string {
  const moment = new Date(text);
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** What a field of the reader's own time says, as a moment of the API; null if it is empty. */
export function momentOf(local: string): string | null {
  return local === '' ? null : new Date(local).toISOString();
}
