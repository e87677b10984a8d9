import type { Source } from './sources.ts';
import type { Tool } from './tool-list.ts';

export type ToolOptions = Record<string, unknown>;

/** The body of a tool's request, with uploads in place of the files. */
export async function requestOf(
  tool: Tool,
  options: ToolOptions,
  sources: readonly Source[],
  uploadOf: (source: Source) => Promise<string>,
): Promise<Record<string, unknown>> {
  const named = await Promise.all(sources.map(async (source) => ({
    upload_id: await uploadOf(source),
    ...(source.password === '' ? {} : { password: source.password }),
  })));
  return { ...options, ...(tool === 'merge' ? { sources: named } : { source: named[0] }) };
}

/** The files that a tool works on: merge takes all of them, the others the chosen one. */
export function sourcesFor(tool: Tool, list: readonly Source[], chosen: string | null): Source[] {
  if (tool === 'merge') return [...list];
  const source = list.find((each) => each.key === chosen) ?? list[0];
  return source ? [source] : [];
}
