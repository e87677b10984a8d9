import { useSyncExternalStore } from 'react';

/** What the console waits for: the end of a limit, or of an outage. */
export type Notice = { kind: 'limited' | 'offline'; until: number };

const listeners = new Set<() => void>();
const notices = new Map<symbol, Notice>();
let latest: Notice | null = null;

/** Show a notice while waiting; an abort ends the wait with its reason. */
export async function waitWithNotice(kind: Notice['kind'], ms: number, signal?: AbortSignal | null): Promise<void> {
  const id = Symbol(kind);
  notices.set(id, { kind, until: Date.now() + ms });
  publish();
  try {
    await pause(ms, signal);
  } finally {
    notices.delete(id);
    publish();
  }
}

export function useNotice(): Notice | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => latest,
  );
}

function pause(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

function publish(): void {
  latest = [...notices.values()].at(-1) ?? null;
  for (const listener of listeners) listener();
}
