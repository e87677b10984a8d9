import { useEffect, useState } from 'react';
import { texts } from '../texts.ts';
import { type Zoom, ZOOMS } from './zoom.ts';

type Props = {
  file: { format: string; filename: string; width: number | null; height: number | null };
  bytes: Uint8Array;
  zoom: Zoom;
  onChange: (place: { zoom: Zoom }) => void;
};

/** A picture with its size and its zoom; the last one stays until the next one can be shown. */
export function PictureView({ file, bytes, zoom, onChange }: Props) {
  const url = usePicture(file.format, bytes);
  return (
    <div className="pdf">
      <div className="pdf-bar">
        <span className="pdf-count">{file.width !== null && file.height !== null && texts.pages.pixels(file.width, file.height)}</span>
        <div className="segments" role="group" aria-label={texts.pages.zoom}>
          {ZOOMS.map((each) => (
            <button key={each} type="button" aria-pressed={zoom === each} onClick={() => onChange({ zoom: each })}>
              {texts.pages.zooms[each]}
            </button>
          ))}
        </div>
      </div>
      <div className={`sheets picture-room ${zoom}`} tabIndex={0} role="region" aria-label={texts.pages.document}>
        {url && <img className="sheet picture" src={url} alt={file.filename} width={file.width ?? undefined} height={file.height ?? undefined} />}
      </div>
    </div>
  );
}

function usePicture(format: string, bytes: Uint8Array): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    let isCurrent = true;
    const made = URL.createObjectURL(new Blob([bytes.slice()], { type: `image/${format}` }));
    const picture = new Image();
    picture.src = made;
    void picture.decode().catch(() => undefined).then(() => { if (isCurrent) setUrl(made); });
    return () => {
      isCurrent = false;
      // The picture before is shown until this one's successor is decoded.
      setTimeout(() => URL.revokeObjectURL(made), 2000);
    };
  }, [bytes, format]);
  return url;
}
