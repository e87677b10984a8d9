import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { problemOf } from '../../api/problem.ts';
import { texts } from '../../texts.ts';
import { ProblemBox } from '../../ui/problem-box.tsx';

type DialogProps = { title: string; isWide?: boolean; onClose: () => void; children: ReactNode };

/** A dialog that is open as long as it is there; the focus goes back to where it was. */
export function Dialog({ title, isWide = false, onClose, children }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    if (box.current && !box.current.open) box.current.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog ref={box} className={isWide ? 'dialog wide-dialog' : 'dialog'} aria-labelledby={id} onClose={onClose}>
      <div className="dialog-body">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

type ConfirmProps = {
  label: string;
  title: string;
  lead: string;
  /** What is pressed in the dialog. */
  confirm: string;
  isDanger?: boolean;
  run: () => Promise<unknown>;
};

/** A button that asks before it acts, and shows why the act was refused. */
export function Confirm({ label, title, lead, confirm, isDanger = true, run }: ConfirmProps) {
  const [isOpen, setOpen] = useState(false);
  const act = useMutation({ mutationFn: run, onSuccess: () => setOpen(false) });
  const open = () => { act.reset(); setOpen(true); };
  return (
    <>
      <button type="button" className={isDanger ? 'button danger' : 'button'} onClick={open}>{label}</button>
      {isOpen && (
        <Dialog title={title} onClose={() => setOpen(false)}>
          <p>{lead}</p>
          {act.error && <ProblemBox problem={problemOf(act.error)} />}
          <p className="dialog-foot">
            <button type="button" className="button" onClick={() => setOpen(false)}>{texts.deliveries.cancel}</button>
            <button type="button" className={isDanger ? 'button danger' : 'button primary'} disabled={act.isPending} onClick={() => act.mutate()}>{confirm}</button>
          </p>
        </Dialog>
      )}
    </>
  );
}
