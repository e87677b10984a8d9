import type { ReactNode } from 'react';
import { problemOf } from '../../api/problem.ts';
import { texts } from '../../texts.ts';
import { ProblemBox } from '../../ui/problem-box.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

/** What a query says when it has no data: that it fails, or that it takes long. */
export function Waiting({ query }: { query: { isPending: boolean; error: unknown; refetch: () => unknown } }) {
  if (query.error) {
    return (
      <ProblemBox problem={problemOf(query.error)}>
        <button type="button" className="link" onClick={() => void query.refetch()}>{texts.net.retry}</button>
      </ProblemBox>
    );
  }
  return query.isPending ? <Skeleton rows={4} /> : null;
}

type More = { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };

export function LoadMore({ query }: { query: More }) {
  if (!query.hasNextPage) return null;
  return (
    <p className="list-more">
      <button type="button" className="button" disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>{texts.deliveries.older}</button>
    </p>
  );
}

/** Nothing yet: what it is for, and how to begin. */
export function Empty({ title, lead, children }: { title: string; lead: string; children?: ReactNode }) {
  return <div className="empty"><h2>{title}</h2><p>{lead}</p>{children}</div>;
}

/** The head of a part of a view, with what can be done there. */
export function SectionHead({ title, children }: { title: string; children?: ReactNode }) {
  return <header className="section-head"><h2>{title}</h2><span className="spacer" />{children}</header>;
}
