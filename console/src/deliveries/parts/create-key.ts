import { useRef } from 'react';

/** The idempotency key of what a form creates: the same one for as long as the body is the same. */
export function useCreateKey(): (body: unknown) => { 'Idempotency-Key': string } {
  const last = useRef({ text: '', key: '' });
  return (body) => {
    const text = JSON.stringify(body);
    if (text !== last.current.text) last.current = { text, key: randomName() };
    return { 'Idempotency-Key': last.current.key };
  };
}

/** A name that nobody else has; `randomUUID` is there over https alone. */
function randomName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
