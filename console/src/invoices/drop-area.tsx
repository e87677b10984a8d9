import { type ChangeEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { texts } from '../texts.ts';
import { useDrop } from '../ui/drop.ts';

type Props = {
  /** A file was dropped, chosen or pasted. */
  onFile: (name: string, bytes: Uint8Array) => void;
  /** The view; `choose` opens the dialog of the browser. */
  children: (choose: () => void) => ReactNode;
};

const TYPES = '.xml,.pdf,application/xml,text/xml,application/pdf';

/** A view that takes files: by drop everywhere in it, by a dialog, and by paste. */
export function DropArea({ onFile, children }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [isSeveral, setSeveral] = useState(false);

  const take = (files: File[]) => {
    const [file] = files;
    setSeveral(files.length > 1);
    if (file) void file.arrayBuffer().then((buffer) => onFile(file.name, new Uint8Array(buffer)));
  };
  const latest = useRef(take);
  latest.current = take;

  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      if ((event.target as HTMLElement).closest('input, textarea')) return;
      const data = event.clipboardData;
      const text = data?.getData('text/plain').trim() ?? '';
      if (data && data.files.length > 0) { event.preventDefault(); latest.current([...data.files]); }
      else if (text.startsWith('<')) { event.preventDefault(); onFile(texts.invoices.pastedName, new TextEncoder().encode(text)); }
    };
    addEventListener('paste', onPaste);
    return () => removeEventListener('paste', onPaste);
  }, [onFile]);

  const { isOver, handlers } = useDrop(take);
  return (
    <div
      className={isOver ? 'check-drop over' : 'check-drop'}
      {...handlers}
    >
      <input
        ref={input}
        type="file"
        accept={TYPES}
        hidden
        aria-label={texts.invoices.choose}
        onChange={(event: ChangeEvent<HTMLInputElement>) => { take([...(event.target.files ?? [])]); event.target.value = ''; }}
      />
      {isSeveral && <p className="pane-note" role="status">{texts.invoices.several}</p>}
      {children(() => input.current?.click())}
      {isOver && <div className="drop-over" aria-hidden="true"><p>{texts.invoices.dropHere}</p></div>}
    </div>
  );
}
