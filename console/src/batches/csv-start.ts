const TOKEN = /"(?:[^"]|"")*"?|[,;\t]|[\r\n]/g;
const NAMED = /^sep=([^\r\n"])[,;\t]*(?:\r\n?|\n)/i;

/** The separator of a CSV file by its beginning, and the bytes before its header, as the API finds them. */
export function csvStart(head: string): { delimiter: string; skipped: number } {
  const named = NAMED.exec(head);
  if (named) return { delimiter: named[1] as string, skipped: new TextEncoder().encode(named[0]).length };
  const counts = new Map([[',', 0], [';', 0], ['\t', 0]]);
  for (const [token] of head.trimStart().matchAll(TOKEN)) {
    if (token === '\r' || token === '\n') break;
    const count = counts.get(token);
    if (count !== undefined) counts.set(token, count + 1);
  }
  const [delimiter] = [...counts].reduce((best, each) => (each[1] > best[1] ? each : best));
  return { delimiter, skipped: 0 };
}
