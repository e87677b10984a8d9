import { useEffect, useState } from 'react';

/** Whether an answer takes so long that something has to be shown for it. */
export function useLate(): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 300);
    return () => clearTimeout(timer);
  }, []);
  return isLate;
}

/** Grey rows, which appear only when an answer takes long. */
export function Skeleton({ rows = 8 }: { rows?: number }) {
  const isLate = useLate();
  return <div className="skeleton" aria-hidden="true">{isLate && Array.from({ length: rows }, (_, row) => <i key={row} />)}</div>;
}
