import type { ReactNode } from 'react';
import { HOST } from '../api/client.ts';
import type { Problem } from '../api/problem.ts';
import { CopyText } from './copy.tsx';
import { WithCode } from './with-code.tsx';

type Props = {
  problem: Problem;
  /** Go to a field of the request, by its JSON pointer, or to the line of a template. */
  onPlace?: (place: { pointer: string } | { line: number; column: number }) => void;
  children?: ReactNode;
};

/** A problem with all that it says: what, why, where, and where to read more. */
export function ProblemBox({ problem, onPlace, children }: Props) {
  const { line, column = 1 } = problem;
  const fields = problem.errors ?? [];
  return (
    <section className="problem" role="alert">
      <h2>{problem.title}</h2>
      {fields.length === 0 && <p><WithCode text={problem.detail} /></p>}
      {fields.length > 0 && (
        <ul className="problem-fields">
          {fields.map((field) => (
            <li key={`${field.path} ${field.code}`}>
              <Place label={field.path} go={onPlace && (() => onPlace({ pointer: field.path }))} />
              <span><WithCode text={field.message} /></span>
            </li>
          ))}
        </ul>
      )}
      {line !== undefined && (
        <p className="problem-place">
          <Place label={`${line}:${column}`} go={onPlace && (() => onPlace({ line, column }))} />
          {problem.excerpt && <code>{problem.excerpt}</code>}
        </p>
      )}
      <p className="problem-foot">
        {problem.code && (
          <a href={problem.doc_url ?? `${HOST}/errors/${problem.code}`} target="_blank" rel="noreferrer"><code>{problem.code}</code></a>
        )}
        {problem.request_id && <CopyText text={problem.request_id} />}
        {children}
      </p>
    </section>
  );
}

function Place({ label, go }: { label: string; go: (() => void) | undefined }) {
  if (!go) return <code>{label}</code>;
  return (
    <button type="button" className="link" onClick={go}>
      <code>{label}</code>
    </button>
  );
}
