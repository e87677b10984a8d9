import { queryOptions } from '@tanstack/react-query';
import type { components } from 'contract';
import { useCallback, useEffect, useRef, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { currentKey } from '../api/key.ts';
import { type Problem, ProblemError, problemOf } from '../api/problem.ts';
import { isObject, type PlainScene, plainScene, readScene, type Scene } from './model.ts';

export type Template = components['schemas']['Template'];
export type Draft = components['schemas']['TemplateDraft'];
type DraftRequest = components['schemas']['DraftRequest'];

const KEEP_PAUSE_MS = 200;
const CONFLICT = 'draft_revision_conflict';

/** A template with its draft and the list of its datasets. The editor has its own state, so nothing is read again. */
export function sceneOf(key: string, id: string) {
  return queryOptions({
    queryKey: ['scene', key, id],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const path = { params: { path: { id } }, signal };
      const [template, draft, datasets] = await Promise.all([
        dataOf(api.GET('/v1/templates/{id}', path)),
        dataOf(api.GET('/v1/templates/{id}/draft', path)),
        dataOf(api.GET('/v1/templates/{id}/datasets', path)),
      ]);
      return { template, draft, datasets: datasets.data };
    },
  });
}

/** The data of one dataset. */
export function datasetOf(key: string, id: string, ds: string) {
  return queryOptions({
    queryKey: ['dataset', key, id, ds],
    queryFn: ({ signal }) => dataOf(api.GET('/v1/templates/{id}/datasets/{ds}', { params: { path: { id, ds } }, signal })),
  });
}

type Kept = { revision: number; scene: PlainScene };

/** What was changed in this tab and not saved; null if there is nothing. */
export function keptScene(id: string): Kept | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(nameOf(id)) ?? 'null');
    return isObject(kept) && typeof kept.revision === 'number' && 'scene' in readScene(kept.scene) ? (kept as Kept) : null;
  } catch {
    return null;
  }
}

export function forgetScene(id: string): void {
  sessionStorage.removeItem(nameOf(id));
}

function nameOf(id: string): string {
  return `platen.scene.${id}`;
}

export type Saving = {
  /** The draft that the scene is based on. */
  draft: Draft;
  isDirty: boolean;
  isPending: boolean;
  problem: Problem | null;
  /** The scene that the problem is about. */
  refused: Scene | null;
  /** Somebody else's draft, which has replaced the one that was read. */
  theirs: Draft | null;
  /** Whether the tab has too little room for the changes. */
  isTooLarge: boolean;
  save: () => void;
  /** Put the scene over their draft, whose options and schema stay. */
  keepMine: () => void;
  /** Go on with their draft; the caller shows its scene. */
  takeTheirs: (scene: Scene) => void;
};

/** The draft that a scene is based on, and what is not saved; `conflicting` is one that has replaced it meanwhile. */
export function useDraft(id: string, first: Draft, firstScene: Scene, scene: Scene, conflicting: Draft | null): Saving {
  const [draft, setDraft] = useState(first);
  const [saved, setSaved] = useState<Scene>(firstScene);
  const [isPending, setPending] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [refused, setRefused] = useState<Scene | null>(null);
  const [theirs, setTheirs] = useState<Draft | null>(conflicting);
  const isDirty = scene !== saved;
  const isTooLarge = useKept(id, isDirty ? scene : null, draft.revision);

  const put = async (base: Draft) => {
    if (isPending) return;
    setPending(true);
    setProblem(null);
    try {
      const body = { content: { scene: plainScene(scene) }, options: base.options, schema: base.schema } as unknown as DraftRequest;
      const params = { path: { id }, header: { 'If-Match': `"${base.revision}"` } };
      setDraft(await dataOf(api.PUT('/v1/templates/{id}/draft', { params, body })));
      setSaved(scene);
      setTheirs(null);
      setRefused(null);
    } catch (error) {
      const isConflict = error instanceof ProblemError && error.problem.code === CONFLICT;
      const other = isConflict ? await newestOf(id) : null;
      if (other) setTheirs(other);
      else { setProblem(problemOf(error)); setRefused(scene); }
    }
    setPending(false);
  };
  return {
    draft, isDirty, isPending, problem, refused, theirs, isTooLarge,
    save: () => void put(draft),
    keepMine: () => { if (theirs) void put(theirs); },
    takeTheirs: (shown) => {
      if (!theirs) return;
      setDraft(theirs);
      setSaved(shown);
      setTheirs(null);
      setProblem(null);
    },
  };
}

async function newestOf(id: string): Promise<Draft | null> {
  try {
    return await dataOf(api.GET('/v1/templates/{id}/draft', { params: { path: { id } } }));
  } catch {
    // The conflict itself is then shown, and saving can be tried again.
    return null;
  }
}

/** Keep a scene in the tab, so that it outlives a reload; null forgets it. Tells whether it is too large. */
function useKept(id: string, scene: Scene | null, revision: number): boolean {
  const [isTooLarge, setTooLarge] = useState(false);
  const latest = useRef({ scene, revision });
  latest.current = { scene, revision };
  const write = useCallback(() => {
    // Who has signed out leaves nothing behind.
    if (currentKey() === null) return;
    const { scene: present, revision: base } = latest.current;
    if (present === null) { forgetScene(id); setTooLarge(false); return; }
    try {
      sessionStorage.setItem(nameOf(id), JSON.stringify({ revision: base, scene: plainScene(present) }));
      setTooLarge(false);
    } catch {
      // An older state would come back as if it were the last one.
      forgetScene(id);
      setTooLarge(true);
    }
  }, [id]);
  useEffect(() => {
    const timer = setTimeout(write, KEEP_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [scene, revision, write]);
  useEffect(() => {
    addEventListener('pagehide', write);
    return () => { removeEventListener('pagehide', write); write(); };
  }, [write]);
  return isTooLarge;
}
