import type { components } from 'contract';
import { api, dataOf } from './client.ts';
import { ProblemError } from './problem.ts';
import { texts } from '../texts.ts';

type Upload = components['schemas']['Upload'];

/** Send a file to the workspace, which keeps it for 24 hours. Throws ProblemError. */
export async function upload(file: File, signal?: AbortSignal): Promise<Upload> {
  const body = { filename: file.name, bytes: file.size, ...(file.type === '' ? {} : { content_type: file.type }) };
  const announced = await dataOf(api.POST('/v1/uploads', { body, ...(signal ? { signal } : {}) }));
  if (!('upload' in announced)) throw new Error('the service announced no form');
  const form = new FormData();
  for (const [name, value] of Object.entries(announced.upload.fields)) form.append(name, value);
  form.append('file', file);
  const answer = await fetch(announced.upload.url, { method: 'POST', body: form, ...(signal ? { signal } : {}) });
  if (!answer.ok) throw new ProblemError({ title: texts.net.notSent, detail: texts.net.notSentDetail(file.name), status: answer.status });
  return announced;
}
