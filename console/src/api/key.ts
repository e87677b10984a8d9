import { useSyncExternalStore } from 'react';
import type { Problem } from './problem.ts';

/** The key of this tab. `ended` says why a key that worked does not any more. */
type KeyState = { key: string | null; ended: Problem | null };

const STORED = 'platen.key';
const FORM = /^plt_(test|live)_[0-9A-Za-z]+_[0-9A-Za-z]+$/;
const listeners = new Set<() => void>();
let state: KeyState = { key: sessionStorage.getItem(STORED), ended: null };

/** Take the key that the address brings behind `#key=`, and remove it from the address. */
export function takeKeyFromAddress(): void {
  const given = /^#key=(.+)$/.exec(location.hash)?.[1];
  if (given === undefined) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  if (isKey(given)) setKey(given);
}

export function isKey(text: string): boolean {
  return FORM.test(text);
}

export function currentKey(): string | null {
  return state.key;
}

export function setKey(key: string): void {
  sessionStorage.setItem(STORED, key);
  change({ key, ended: null });
}

/** Forget the key and all that was written in this tab. */
export function signOut(): void {
  sessionStorage.clear();
  change({ key: null, ended: null });
}

/** Record that the service does not take the key any more. */
export function endKey(key: string, ended: Problem): void {
  if (state.key === key) change({ key, ended });
}

export function useKey(): KeyState {
  return useSyncExternalStore(subscribe, () => state);
}

export function isLive(key: string): boolean {
  return key.startsWith('plt_live_');
}

/** The part of a key that names it and is no secret. */
export function prefixOf(key: string): string {
  return `${key.split('_').slice(0, 2).join('_')}_${(key.split('_')[2] ?? '').slice(0, 6)}…`;
}

function change(next: KeyState): void {
  state = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
