import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { texts } from '../texts.ts';
import { stateOf } from './changes.ts';
import { type ComparedPage, pictureBytes } from './queries.ts';
import type { Mode } from './search.ts';

type Props = { page: ComparedPage; mode: Mode; from: string; to: string; onExpired: () => void };

/** One page of both versions, in the way that is chosen. */
export function Pictures({ page, mode, from, to, onExpired }: Props) {
  const state = stateOf(page);
  const { from_url: before, to_url: after, diff_url: diff } = page;
  if (before === null || after === null) {
    const [url, name] = before === null ? [after, to] : [before, from];
    return (
      <div className="cmp-sheets one">
        <Sheet caption={texts.compare[state === 'added' ? 'onlyAfter' : 'onlyBefore'](name)} url={url ?? ''} alt={texts.compare.picture(page.page, name)} onExpired={onExpired} />
      </div>
    );
  }
  if (mode === 'side') {
    return (
      <div className="cmp-sheets">
        <Sheet caption={from} url={before} alt={texts.compare.picture(page.page, from)} onExpired={onExpired} />
        <Sheet caption={to} url={after} alt={texts.compare.picture(page.page, to)} onExpired={onExpired} />
      </div>
    );
  }
  if (mode === 'overlay') {
    return (
      <div className="cmp-sheets one">
        <Sheet caption={<Legend />} url={diff ?? ''} alt={texts.compare.overlayOf(page.page)} onExpired={onExpired} />
      </div>
    );
  }
  return <div className="cmp-sheets one"><Slider key={page.page} page={page.page} before={before} after={after} from={from} to={to} onExpired={onExpired} /></div>;
}

function Legend() {
  return (
    <span className="cmp-legend">
      <span className="cmp-removed">{texts.compare.wasThere}</span>
      <span className="cmp-added">{texts.compare.isNew}</span>
      <span className="cmp-recoloured">{texts.compare.isRecoloured}</span>
    </span>
  );
}

type SheetProps = { caption: ReactNode; url: string; alt: string; onExpired: () => void };

function Sheet({ caption, url, alt, onExpired }: SheetProps) {
  return (
    <figure className="cmp-sheet">
      <figcaption>{caption}</figcaption>
      <Picture url={url} alt={alt} onExpired={onExpired} />
    </figure>
  );
}

function Picture({ url, alt, onExpired }: Omit<SheetProps, 'caption'>) {
  const bytes = useQuery(pictureBytes(url));
  const source = useObjectUrl(bytes.data);
  if (bytes.error) {
    return (
      <p className="cmp-gone" role="alert">
        {texts.compare.expired} <button type="button" className="link" onClick={onExpired}>{texts.compare.again}</button>
      </p>
    );
  }
  return source === undefined ? <div className="cmp-paper" /> : <img className="sheet cmp-picture" src={source} alt={alt} draggable={false} />;
}

function useObjectUrl(bytes: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (bytes === undefined) return undefined;
    const made = URL.createObjectURL(bytes);
    setUrl(made);
    return () => { setUrl(undefined); URL.revokeObjectURL(made); };
  }, [bytes]);
  return url;
}

type SliderProps = { page: number; before: string; after: string; from: string; to: string; onExpired: () => void };

/** Both pictures at one place; a handle that mouse, finger and arrow keys move divides them. */
function Slider({ page, before, after, from, to, onExpired }: SliderProps) {
  const [share, setShare] = useState(50);
  return (
    <figure className="cmp-sheet">
      <figcaption className="cmp-ends"><span>{from}</span><span>{to}</span></figcaption>
      <div className="cmp-slider">
        <Picture url={after} alt={texts.compare.picture(page, to)} onExpired={onExpired} />
        <div className="cmp-before" style={{ clipPath: `inset(0 ${100 - share}% 0 0)` }}>
          <Picture url={before} alt={texts.compare.picture(page, from)} onExpired={onExpired} />
        </div>
        <span className="cmp-handle" style={{ left: `${share}%` }} aria-hidden="true" />
        <input
          className="cmp-range"
          type="range"
          min={0}
          max={100}
          value={share}
          aria-label={texts.compare.divide}
          aria-valuetext={texts.compare.shares(share, from, to)}
          onChange={(event) => setShare(Number(event.target.value))}
        />
      </div>
    </figure>
  );
}
