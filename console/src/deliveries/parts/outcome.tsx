import { problemOf } from '../../api/problem.ts';
import { ProblemBox } from '../../ui/problem-box.tsx';

/** Why the last act of a view was refused. */
export function Refused({ errors }: { errors: readonly unknown[] }) {
  const error = errors.find((each) => each !== null && each !== undefined);
  return error === undefined ? null : <ProblemBox problem={problemOf(error)} />;
}
