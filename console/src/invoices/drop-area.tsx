import { type ChangeEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { texts } from '../texts.ts';

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
  const [isOver, setOver] = useState(false);
  const [isSeveral, setSeveral] = useState(false);
  // Elements within the area send events of their own.
  const depth = useRef(0);

  const take = (files: FileList | null | undefined) => {
    const [file] = files ?? [];
    setSeveral((files?.length ?? 0) > 1);
    if (file) void file.arrayBuffer().then((buffer) => onFile(file.name, new Uint8Array(buffer)));
  };
  const latest = useRef(take);
  latest.current = take;

  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      if ((event.target as HTMLElement).closest('input, textarea')) return;
      const data = event.clipboardData;
      const text = data?.getData('text/plain').trim() ?? '';
      if (data && data.files.length > 0) { event.preventDefault(); latest.current(data.files); }
      else if (text.startsWith('<')) { event.preventDefault(); onFile(texts.invoices.pastedName, new TextEncoder().encode(text)); }
    };
    addEventListener('paste', onPaste);
    return () => removeEventListener('paste', onPaste);
  }, [onFile]);

  const end = () => { depth.current = 0; setOver(false); };
  return (
    <div
      className={isOver ? 'drop-area over' : 'drop-area'}
      onDragEnter={(event) => { event.preventDefault(); depth.current += 1; setOver(true); }}
      onDragOver={(event) => event.preventDefault()}
      onDragLeave={() => { depth.current -= 1; if (depth.current <= 0) end(); }}
      onDrop={(event) => { event.preventDefault(); end(); take(event.dataTransfer.files); }}
    >
      <input
        ref={input}
        type="file"
        accept={TYPES}
        hidden
        aria-label={texts.invoices.choose}
        onChange={(event: ChangeEvent<HTMLInputElement>) => { take(event.target.files); event.target.value = ''; }}
      />
      {isSeveral && <p className="pane-note" role="status">{texts.invoices.several}</p>}
      {children(() => input.current?.click())}
      {isOver && <div className="drop-over" aria-hidden="true"><p>{texts.invoices.dropHere}</p></div>}
    </div>
  );
}
