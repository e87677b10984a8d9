import { useEffect } from 'react';

/** In a list `j` and `k` move the focus through the links of its rows, and `/` goes to its filters. */
export function useRowKeys(list: { current: HTMLElement | null }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event)) return;
      if (event.key === '/') {
        event.preventDefault();
        document.querySelector<HTMLElement>('#view [role=search] input')?.focus();
      }
      const step = { j: 1, k: -1 }[event.key];
      if (step === undefined) return;
      const links = [...(list.current?.querySelectorAll<HTMLElement>('.row-link') ?? [])];
      const at = links.indexOf(document.activeElement as HTMLElement);
      links[Math.max(0, Math.min(links.length - 1, at + step))]?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [list]);
}

/** Whether a key belongs to a field, to a dialog, or to the browser. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0] as HTMLElement;
  return event.metaKey || event.ctrlKey || event.altKey || target.isContentEditable || target.closest('input, select, textarea, dialog') !== null;
}
