import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { texts } from '../texts.ts';
import { Icon } from './icons.tsx';
import { isTyping } from './row-keys.ts';

const Commands = lazy(() => import('./commands.tsx'));
const Shortcuts = lazy(() => import('./shortcuts.tsx'));

const OPEN = 'platen:palette';
const IS_MAC = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** How the reader's keyboard names a key with its command key. */
export function withCommand(key: string): string {
  return IS_MAC ? `⌘${key}` : `Ctrl ${key}`;
}

export function PaletteButton() {
  return (
    <button type="button" className="rail-link" onClick={() => dispatchEvent(new Event(OPEN))}>
      <Icon name="search" /><span>{texts.palette.open}</span><kbd>{withCommand('K')}</kbd>
    </button>
  );
}

/** The command palette, and the list of keys. Their keys work in all views. */
export function Palette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [shown, setShown] = useState<'commands' | 'shortcuts' | null>(null);
  const show = (what: 'commands' | 'shortcuts') => {
    setShown(what);
    if (!dialog.current?.open) dialog.current?.showModal();
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey) {
        event.preventDefault();
        show('commands');
      } else if (event.key === '?' && !isTyping(event)) show('shortcuts');
    };
    const onOpen = () => show('commands');
    addEventListener('keydown', onKey);
    addEventListener(OPEN, onOpen);
    return () => {
      removeEventListener('keydown', onKey);
      removeEventListener(OPEN, onOpen);
    };
  }, []);
  const close = () => dialog.current?.close();
  return (
    <dialog
      ref={dialog}
      className={shown === 'commands' ? 'dialog palette' : 'dialog'}
      aria-label={shown === 'shortcuts' ? texts.shortcuts.title : texts.palette.title}
      onClose={() => setShown(null)}
      onClick={(event) => { if (event.target === dialog.current) close(); }}
    >
      <Suspense>
        {shown === 'commands' && <Commands close={close} showShortcuts={() => show('shortcuts')} />}
        {shown === 'shortcuts' && <Shortcuts close={close} />}
      </Suspense>
    </dialog>
  );
}
