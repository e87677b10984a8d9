/** What the check of a signature finds. */
export type Verdict = 'genuine' | 'forged' | 'not-a-secret' | 'unsigned' | 'insecure-page';

const PREFIX = 'whsec_';

/** Check a webhook as its receiver does (Standard Webhooks, `v1`), but for its age. */
export async function verify(secret: string, headers: Record<string, string>, body: string): Promise<Verdict> {
  const key = bytesOf(secret.trim().replace(PREFIX, ''));
  if (key === null || key.length === 0) return 'not-a-secret';
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures } = lowerCased(headers);
  if (!id || !time || !signatures) return 'unsigned';
  // The browser has no cryptography for pages that came over plain http from another machine.
  if (!globalThis.crypto.subtle) return 'insecure-page';
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['verify']);
  const signed = new TextEncoder().encode(`${id}.${time}.${body}`);
  for (const each of signatures.split(' ')) {
    const [version, text = ''] = each.split(',');
    const signature = version === 'v1' ? bytesOf(text) : null;
    if (signature !== null && (await crypto.subtle.verify(algorithm.name, imported, signature, signed))) return 'genuine';
  }
  return 'forged';
}

function lowerCased(headers: Record<string, string>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
