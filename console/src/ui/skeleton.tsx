import { useEffect, useState } from 'react';

/** Grey rows, which appear only when an answer takes long. */
export function Skeleton() {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 300);
    return () => clearTimeout(timer);
  }, []);
  return <div className="skeleton" aria-hidden="true">{isLate && Array.from({ length: 8 }, (_, row) => <i key={row} />)}</div>;
}
