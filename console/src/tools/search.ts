import { one, placeOf } from '../playground/search.ts';
import type { Zoom } from '../pdf/zoom.ts';
import { type Tool, TOOLS } from './tool-list.ts';

export type ToolsSearch = { tool?: Tool; result?: string; file?: string; page?: number; zoom?: Zoom };

export function toolsSearch(given: Record<string, unknown>): ToolsSearch {
  return {
    ...one('tool', TOOLS, given.tool),
    ...(typeof given.result === 'string' ? { result: given.result } : {}),
    ...(typeof given.file === 'string' ? { file: given.file } : {}),
    ...placeOf(given),
  };
}
