import { useEffect } from 'react';
import { texts } from '../texts.ts';

export function useTitle(view: string): void {
  useEffect(() => {
    document.title = texts.title(view);
  }, [view]);
}
