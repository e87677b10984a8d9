/** Bytes of a text in base64. */
export function bytesOf(base64: string): Uint8Array {
  const text = atob(base64);
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}
