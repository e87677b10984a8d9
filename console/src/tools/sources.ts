import { useCallback, useEffect, useRef, useState } from 'react';
import { upload } from '../api/upload.ts';
import type { OpenedPdf } from '../pdf/document.ts';

/** A PDF that somebody has dropped. */
export type Source = {
  key: string;
  file: File;
  password: string;
  pdf: OpenedPdf | null;
  /** `locked`: it needs a password; `unreadable`: it is no PDF that can be shown. */
  state: 'opening' | 'open' | 'locked' | 'unreadable';
};

export type Sources = {
  list: Source[];
  add: (files: Iterable<File>) => void;
  remove: (key: string) => void;
  setPassword: (key: string, password: string) => void;
  move: (from: number, to: number) => void;
  /** Send a file once; its id serves for all tools. */
  uploadOf: (source: Source) => Promise<string>;
};

/** The dropped files of this tab, opened to show their pages. They are sent when a tool runs. */
export function useSources(): Sources {
  const [list, setList] = useState<Source[]>([]);
  const uploads = useRef(new Map<string, Promise<string>>());
  const kept = useRef(list);
  kept.current = list;
  useEffect(() => () => kept.current.forEach((each) => each.pdf?.close()), []);

  const change = useCallback((key: string, part: Partial<Source>) => {
    setList((before) => before.map((each) => (each.key === key ? { ...each, ...part } : each)));
  }, []);
  const open = useCallback(async ({ key, file, password }: Source) => {
    try {
      const { openPdf } = await import('../pdf/document.ts');
      const pdf = await openPdf(new Uint8Array(await file.arrayBuffer()), { password });
      change(key, { pdf, state: 'open' });
    } catch (error) {
      const isLocked = error instanceof Error && error.name === 'PasswordException';
      change(key, { state: isLocked ? 'locked' : 'unreadable' });
    }
  }, [change]);

  const add = useCallback((files: Iterable<File>) => {
    const added = [...files].map((file): Source => ({ key: crypto.randomUUID(), file, password: '', pdf: null, state: 'opening' }));
    setList((before) => [...before, ...added]);
    for (const source of added) void open(source);
  }, [open]);
  const remove = useCallback((key: string) => {
    kept.current.find((each) => each.key === key)?.pdf?.close();
    setList((before) => before.filter((each) => each.key !== key));
  }, []);
  const setPassword = useCallback((key: string, password: string) => {
    const source = kept.current.find((each) => each.key === key);
    if (!source) return;
    change(key, { password });
    void open({ ...source, password });
  }, [change, open]);
  const move = useCallback((from: number, to: number) => setList((before) => moved(before, from, to)), []);
  const uploadOf = useCallback((source: Source) => {
    const running = uploads.current.get(source.key) ?? upload(source.file).then(({ id }) => id);
    uploads.current.set(source.key, running);
    running.catch(() => uploads.current.delete(source.key));
    return running;
  }, []);
  return { list, add, remove, setPassword, move, uploadOf };
}

/** A list with one member at another place. */
export function moved<Member>(list: readonly Member[], from: number, to: number): Member[] {
  const next = [...list];
  next.splice(to, 0, ...next.splice(from, 1));
  return next;
}
