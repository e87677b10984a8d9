import type { paths } from 'contract';
import createClient from 'openapi-fetch';
import { currentKey, endKey } from './key.ts';
import { waitWithNotice } from './notice.ts';
import { ProblemError, problemOfAnswer } from './problem.ts';

// The service's files are at /console/assets, below the path of its host.
export const HOST = new URL('../..', import.meta.url).href.replace(/\/$/, '');
/** Path of the console, which has the path of the service's host before it. */
export const BASE_PATH = `${new URL(HOST).pathname.replace(/\/$/, '')}/console`;
export const API_URL = `${HOST}/v1`;

const OFFLINE_PAUSES_MS = [2000, 4000, 8000, 15_000];
const KEY_ENDED = new Set(['invalid_api_key', 'api_key_revoked', 'api_key_expired', 'unauthorized']);

/** Client of the public API, with the key of this tab. */
export const api = createClient<paths>({ baseUrl: HOST, fetch: fetchWithPatience });

/** The data of an answer; throws ProblemError. */
export async function dataOf<Data>(
  call: Promise<{ data?: Data; error?: unknown; response: Response }>,
): Promise<Data> {
  const { data, error, response } = await call;
  if (response.ok && data !== undefined) return data;
  throw new ProblemError(problemOfAnswer(error, response.status));
}

/** Wait for an answer without data; throws ProblemError. */
export async function done(call: Promise<{ error?: unknown; response: Response }>): Promise<void> {
  const { error, response } = await call;
  if (!response.ok) throw new ProblemError(problemOfAnswer(error, response.status));
}

/** Send a request; wait as the service asks, and for the service where nothing is made twice. */
async function fetchWithPatience(request: Request): Promise<Response> {
  const key = currentKey();
  if (key !== null && !request.headers.has('Authorization')) {
    request.headers.set('Authorization', `Bearer ${key}`);
  }
  for (let attempt = 0; ; attempt += 1) {
    let answer: Response;
    try {
      answer = await fetch(request.clone());
    } catch (error) {
      const ms = OFFLINE_PAUSES_MS[attempt];
      if (request.signal.aborted || request.method !== 'GET' || ms === undefined) throw error;
      await waitWithNotice('offline', ms, request.signal);
      continue;
    }
    if (answer.status === 429) {
      const seconds = Number(answer.headers.get('Retry-After') ?? 1);
      await waitWithNotice('limited', Math.max(1, seconds) * 1000, request.signal);
      continue;
    }
    if (answer.status === 401 && key !== null && request.headers.get('Authorization')?.endsWith(key)) {
      const body: unknown = await answer.clone().json().catch(() => null);
      const problem = problemOfAnswer(body, answer.status);
      if (KEY_ENDED.has(problem.code ?? 'unauthorized')) endKey(key, problem);
    }
    return answer;
  }
}
