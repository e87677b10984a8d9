import { useEffect, useState } from 'react';
import { useNotice } from '../api/notice.ts';
import { texts } from '../texts.ts';

/** A thin bar at the top: what is waited for, and how long. */
export function NoticeBar() {
  const notice = useNotice();
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!notice) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [notice]);
  const seconds = notice ? Math.max(1, Math.ceil((notice.until - now) / 1000)) : 0;
  return (
    <div className="notice" role="status">
      {notice && texts.net[notice.kind](seconds)}
    </div>
  );
}
