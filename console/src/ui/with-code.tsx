import { Fragment } from 'react';

/** A text of the API: words in backticks as code. */
export function WithCode({ text }: { text: string }) {
  return text.split(/`([^`]+)`/).map((part, number) => {
    const key = `${number} ${part}`;
    return number % 2 ? <code key={key}>{part}</code> : <Fragment key={key}>{part}</Fragment>;
  });
}
