import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useKey } from '../api/key.ts';
import { ProblemError } from '../api/problem.ts';
import { draftOf, oneTemplate, type Template, type TemplateDraft } from './queries.ts';
import { differences, requestOfSource, type Source, sourceOf } from './source.ts';

/** A draft as it was read, and as it is written. */
type Edit = { revision: number; base: Source; source: Source };
export type Conflict = { mine: Source; theirs: TemplateDraft; from: number };

/** The draft of a template as this tab edits it; it outlives a reload, and a save never overwrites another one. */
export function useEdit(template: Template, draft: TemplateDraft) {
  const { key } = useKey();
  const queries = useQueryClient();
  const stored = `platen.template.${template.id}`;
  const [edit, setEdit] = useState<Edit>(() => {
    const text = sessionStorage.getItem(stored);
    return text === null ? fresh(draft) : JSON.parse(text) as Edit;
  });
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const isDirty = differences(edit.base, edit.source).length > 0;

  useEffect(() => {
    try {
      if (isDirty) sessionStorage.setItem(stored, JSON.stringify(edit));
      else sessionStorage.removeItem(stored);
    } catch {
      // Larger than the storage of a tab: it lives until the reload.
      sessionStorage.removeItem(stored);
    }
  }, [edit, isDirty, stored]);
  // What another tab has saved is taken over while nothing is written here.
  useEffect(() => {
    if (!isDirty && draft.revision !== edit.revision) setEdit(fresh(draft));
  }, [draft, isDirty, edit.revision]);

  const change = useCallback((next: (source: Source) => Source) => {
    setEdit((before) => ({ ...before, source: next(before.source) }));
  }, []);
  const save = useMutation({
    mutationFn: async ({ source, revision }: { source: Source; revision: number }) => dataOf(api.PUT('/v1/templates/{id}/draft', {
      params: { path: { id: template.id }, header: { 'If-Match': `"${revision}"` } },
      body: requestOfSource(source, template.type),
    })),
    onSuccess: (saved, { source }) => {
      queries.setQueryData(draftOf(key ?? '', template.id).queryKey, saved);
      void queries.invalidateQueries({ queryKey: oneTemplate(key ?? '', template.id).queryKey });
      void queries.invalidateQueries({ queryKey: ['templates', key, 'list'] });
      setConflict(null);
      const base = sourceOf(saved);
      // Somebody may have typed on meanwhile.
      setEdit((before) => ({ revision: saved.revision, base, source: before.source === source ? base : before.source }));
    },
    onError: async (error, { source, revision }) => {
      if (!(error instanceof ProblemError) || error.problem.code !== 'draft_revision_conflict') return;
      const theirs = await queries.fetchQuery({ ...draftOf(key ?? '', template.id), staleTime: 0 });
      setConflict({ mine: source, theirs, from: revision });
    },
  });
  const { mutateAsync } = save;
  const isBusy = useRef(false);
  /** Save what is written; tells the revision, or null if that was refused. */
  const saveNow = useCallback(async (source: Source, revision: number): Promise<number | null> => {
    // A mouse sends two clicks where one is meant.
    if (isBusy.current) return null;
    isBusy.current = true;
    setEdit((before) => ({ ...before, source }));
    return mutateAsync({ source, revision }).then((saved) => saved.revision, () => null).finally(() => { isBusy.current = false; });
  }, [mutateAsync]);
  const discard = useCallback((to: TemplateDraft) => {
    setConflict(null);
    save.reset();
    setEdit(fresh(to));
  }, [save.reset]);

  const isConflict = save.error instanceof ProblemError && save.error.problem.code === 'draft_revision_conflict';
  return { ...edit, isDirty, change, saveNow, discard, conflict, isSaving: save.isPending, problem: isConflict ? null : save.error };
}

function fresh(draft: TemplateDraft): Edit {
  const source = sourceOf(draft);
  return { revision: draft.revision, base: source, source };
}
