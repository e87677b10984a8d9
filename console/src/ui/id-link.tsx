import { Link } from '@tanstack/react-router';
import { texts } from '../texts.ts';
import { useCopy } from './copy.tsx';
import { placeOfId } from './ids.ts';

/** An id that leads to the view of its thing, and that one click copies. */
export function IdLink({ id }: { id: string }) {
  const [isCopied, copy] = useCopy();
  const place = placeOfId(id);
  return (
    <span className="id-link">
      {place === null ? <code>{id}</code> : <Link to={place}><code>{id}</code></Link>}
      <button type="button" className="copy-word" aria-label={`${texts.copy.copy}: ${id}`} onClick={() => copy(id)}>{isCopied ? texts.copy.copied : texts.copy.copy}</button>
    </span>
  );
}
