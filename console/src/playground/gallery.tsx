import examples from 'virtual:examples';
import { useEffect, useRef, useState } from 'react';
import { texts } from '../texts.ts';
import { Icon } from '../ui/icons.tsx';

type Props = { onBlank: () => void; onExample: (name: string) => void };

/** Documents to begin from, each with a picture of its first page. */
export function Gallery({ onBlank, onExample }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  // The pictures are loaded when somebody looks.
  const [isOpen, setOpen] = useState(false);
  useEffect(() => { if (isOpen) dialog.current?.showModal(); }, [isOpen]);
  const choose = (act: () => void) => { dialog.current?.close(); act(); };
  return (
    <>
      <button type="button" className="button quiet-button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {texts.play.gallery}<Icon name="down" />
      </button>
      <dialog ref={dialog} className="dialog gallery" aria-labelledby="gallery-title" onClose={() => setOpen(false)} onClick={(event) => { if (event.target === dialog.current) dialog.current?.close(); }}>
        {isOpen && (
          <div className="dialog-body">
            <header className="gallery-head">
              <h2 id="gallery-title">{texts.play.galleryTitle}</h2>
              <button type="button" className="button" onClick={() => dialog.current?.close()}>{texts.play.close}</button>
            </header>
            <ul>
              {examples.map(({ name, title, shows, picture }) => (
                <li key={name}>
                  <button type="button" onClick={() => choose(() => onExample(name))}>
                    <span className="gallery-paper"><img src={picture} alt="" /></span>
                    <b>{title}</b>
                    <span className="quiet">{shows}</span>
                  </button>
                </li>
              ))}
              <li>
                <button type="button" onClick={() => choose(onBlank)}>
                  <span className="gallery-paper"><i className="gallery-blank" /></span>
                  <b>{texts.play.blank}</b>
                  <span className="quiet">{texts.play.blankShows}</span>
                </button>
              </li>
            </ul>
          </div>
        )}
      </dialog>
    </>
  );
}
