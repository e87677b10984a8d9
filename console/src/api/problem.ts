import type { components } from 'contract';
import { texts } from '../texts.ts';

type Details = components['schemas']['ProblemDetails'];

/** An error of the API (RFC 9457), or of the way to it. */
export type Problem = Pick<Details, 'title' | 'detail'> &
  Partial<Pick<Details, 'code' | 'status' | 'errors' | 'request_id' | 'doc_url' | 'render_id'>> & {
    line?: number;
    column?: number;
    excerpt?: string;
  };

export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.title);
    this.problem = problem;
  }
}

/** What a failure says to people. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  return { title: texts.net.unreachable, detail: texts.net.unreachableDetail };
}

/** The problem that an answer of the API describes. */
export function problemOfAnswer(body: unknown, status: number): Problem {
  if (typeof body === 'object' && body !== null && 'title' in body && 'detail' in body) {
    return body as Problem;
  }
  return { title: texts.net.unreadable, detail: texts.net.unreadableDetail(status), status };
}
