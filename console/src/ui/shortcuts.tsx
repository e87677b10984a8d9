import { texts } from '../texts.ts';
import { withCommand } from './palette.tsx';

const KEYS = {
  palette: [withCommand('K')],
  render: [withCommand('↵')],
  filters: ['/'],
  rows: ['j', 'k'],
  open: ['↵'],
  help: ['?'],
} as const;

/** All keys that do something, and what they do. */
export default function Shortcuts({ close }: { close: () => void }) {
  return (
    <div className="dialog-body">
      <h2>{texts.shortcuts.title}</h2>
      <dl className="facts">
        {(Object.keys(KEYS) as (keyof typeof KEYS)[]).map((name) => [
          <dt key={name}>{KEYS[name].map((key) => <kbd key={key} className="key">{key}</kbd>)}</dt>,
          <dd key={`${name} text`}>{texts.shortcuts.rows[name]}</dd>,
        ])}
      </dl>
      <p className="dialog-foot"><button type="button" className="button" onClick={close}>{texts.shortcuts.close}</button></p>
    </div>
  );
}
