import type { components } from 'contract';
import { api, dataOf } from '../api/client.ts';
import { bytesOf } from '../playground/files.ts';
import { PREVIEW } from '../playground/preview-mark.ts';

type Schemas = components['schemas'];
export type PreviewRequest = { input: object; data: object; version?: 'draft'; output?: object };
export type Previewed = { render: Schemas['Render']; format: string; bytes: Uint8Array };

/** Make a render that is not stored and that the list leaves out; throws ProblemError. */
export async function previewOf(request: PreviewRequest, signal: AbortSignal): Promise<Previewed> {
  const body = { ...request, metadata: { [PREVIEW.name]: PREVIEW.value }, timeout_behavior: 'cancel', delivery: { type: 'base64', hosted: false } };
  const render = await dataOf(api.POST('/v1/renders', { body: body as Schemas['RenderRequest'], signal })) as Schemas['Render'];
  const file = render.files[0];
  if (file?.content_base64) return { render, format: file.format, bytes: bytesOf(file.content_base64) };
  const answer = await fetch(file?.url ?? '', { signal });
  return { render, format: file?.format ?? '', bytes: new Uint8Array(await answer.arrayBuffer()) };
}
