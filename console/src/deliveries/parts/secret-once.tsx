import { texts } from '../../texts.ts';
import { useCopy } from '../../ui/copy.tsx';
import { Dialog } from './dialog.tsx';

/** A secret that the API shows once. It is kept by nothing but this dialog. */
export function SecretOnce({ title, lead, secret, onClose }: { title: string; lead: string; secret: string; onClose: () => void }) {
  const [isCopied, copy] = useCopy();
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{lead}</p>
      <div className="secret">
        <input className="input mono" readOnly aria-label={texts.deliveries.secret} value={secret} onFocus={(event) => event.target.select()} />
        <button type="button" className="button" onClick={() => copy(secret)}>{isCopied ? texts.copy.copied : texts.copy.copy}</button>
      </div>
      <p className="dialog-foot"><button type="button" className="button primary" onClick={onClose}>{texts.deliveries.secretKept}</button></p>
    </Dialog>
  );
}
