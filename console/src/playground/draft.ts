import { useCallback, useEffect, useRef, useState } from 'react';
import type { Asset } from './assets.ts';
import { BLANK, type Draft, FIRST } from './model.ts';

const STORED = 'platen.draft';
const PAUSE_MS = 300;

/** The draft of this tab, which outlives a reload; `undo` brings back what an example has replaced. */
export function useDraft() {
  const [draft, setDraft] = useState(stored);
  const [replaced, setReplaced] = useState<Draft | null>(null);
  const latest = useRef(draft);
  latest.current = draft;

  // A text of megabytes is not written at each key.
  const pending = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) { isFirst.current = false; return; }
    clearTimeout(pending.current);
    pending.current = setTimeout(() => { pending.current = undefined; keep(draft); }, PAUSE_MS);
  }, [draft]);
  useEffect(() => {
    const now = () => {
      if (pending.current === undefined) return;
      clearTimeout(pending.current);
      pending.current = undefined;
      keep(latest.current);
    };
    addEventListener('pagehide', now);
    return () => {
      removeEventListener('pagehide', now);
      now();
    };
  }, []);

  const change = useCallback((next: (draft: Draft) => Draft) => {
    setReplaced(null);
    setDraft(next);
  }, []);
  const replace = useCallback((next: Draft) => {
    setReplaced(isWritten(latest.current) ? latest.current : null);
    setDraft(next);
  }, []);
  const undo = useCallback(() => {
    if (replaced) setDraft(replaced);
    setReplaced(null);
  }, [replaced]);
  return { draft, change, replace, undo: replaced ? undo : null };
}

function keep(draft: Draft): void {
  // Signing out has emptied the tab.
  if (sessionStorage.getItem('platen.key') === null) return;
  for (const each of [draft, withoutContents(draft)]) {
    try {
      sessionStorage.setItem(STORED, JSON.stringify(each));
      return;
    } catch {
      // Larger than the storage of a tab: it lives until the reload.
      sessionStorage.removeItem(STORED);
    }
  }
}

function withoutContents(draft: Draft): Draft {
  return { ...draft, assets: draft.assets.filter((asset: Asset) => asset.uploadId !== undefined) };
}

function stored(): Draft {
  const text = sessionStorage.getItem(STORED);
  if (text === null) return FIRST;
  const draft = JSON.parse(text) as Partial<Draft>;
  return { ...BLANK, ...draft, sources: { ...BLANK.sources, ...draft.sources } };
}

function isWritten(draft: Draft): boolean {
  return draft.assets.length > 0 || Object.entries(draft.sources).some(
    ([name, text]) => text.trim() !== '' && text !== FIRST.sources[name as keyof Draft['sources']],
  );
}
