import { useCallback, useEffect, useRef, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { type Problem, problemOf } from '../api/problem.ts';
import { type Previewed, previewOf } from './preview-render.ts';
import type { DatasetSummary } from './queries.ts';

/** What became of a dataset: as publishing renders it, with what it has drawn. */
export type Run = { state: 'waiting' | 'running' } | { state: 'passed'; preview: Previewed } | { state: 'failed'; problem: Problem };

/** Renders of the saved draft with each dataset, one after the other, which are not stored or billed. */
export function useRuns(templateId: string, sets: readonly DatasetSummary[], isOn: boolean): { runs: Record<string, Run>; again: () => void } {
  const [runs, setRuns] = useState<Record<string, Run>>({});
  const [round, setRound] = useState(0);
  const latest = useRef(sets);
  latest.current = sets;
  useEffect(() => {
    setRuns({});
    if (!isOn) return undefined;
    const abort = new AbortController();
    const { signal } = abort;
    const set = (id: string, run: Run) => !signal.aborted && setRuns((before) => ({ ...before, [id]: run }));
    void (async () => {
      // One place of the workspace at a time: renders of others go on.
      for (const { id } of latest.current) {
        if (signal.aborted) return;
        set(id, { state: 'running' });
        try {
          const { data } = await dataOf(api.GET('/v1/templates/{id}/datasets/{ds}', { params: { path: { id: templateId, ds: id } }, signal }));
          const preview = await previewOf({ input: { type: 'template', template_id: templateId }, version: 'draft', data }, signal);
          set(id, { state: 'passed', preview });
        } catch (error) {
          set(id, { state: 'failed', problem: problemOf(error) });
        }
      }
    })();
    return () => abort.abort();
  }, [templateId, isOn, round]);
  return { runs, again: useCallback(() => setRound((before) => before + 1), []) };
}
