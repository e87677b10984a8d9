import { Link, Outlet } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useRights } from '../api/account.ts';
import { HOST } from '../api/client.ts';
import { prefixOf, signOut, useKey } from '../api/key.ts';
import { texts } from '../texts.ts';
import { shownMoment } from './format.ts';
import { Icon } from './icons.tsx';
import { KeyView } from './key-view.tsx';
import { NoticeBar } from './notice-bar.tsx';

/** The views of the rail; `scopes`: with one of them a key may open the view. */
const VIEWS = [
  { to: '/playground', name: 'playground', scopes: ['render:write'] },
  { to: '/renders', name: 'renders', scopes: ['renders:read'] },
  { to: '/deliveries', name: 'deliveries', scopes: ['webhooks:read', 'email:read', 'storage:read', 'signed_links:read'] },
] as const;

/** The frame: the rail with all views that the key may open, and the view. */
export function Shell() {
  const { key, ended } = useKey();
  const { isLive } = useRights();
  if (key === null) return <><NoticeBar /><KeyView ended={null} /></>;
  return (
    <div className={isLive ? 'shell live' : 'shell'}>
      <a className="skip" href="#view" onClick={(event) => { event.preventDefault(); document.getElementById('view')?.focus(); }}>{texts.skip}</a>
      <Rail />
      <div className="view-frame">
        <NoticeBar />
        {ended ? <KeyView ended={ended} /> : null}
        <main id="view" tabIndex={-1} hidden={ended !== null}><Outlet /></main>
      </div>
    </div>
  );
}

function Rail() {
  const { can } = useRights();
  return (
    <nav className="rail" aria-label={texts.rail.label}>
      <a className="brand" href={`${HOST}/`}>{texts.name}</a>
      <ul>
        {VIEWS.filter(({ scopes }) => scopes.some(can)).map(({ to, name }) => (
          <li key={to}><Link to={to} className="rail-link"><Icon name={name} /><span>{texts.rail[name]}</span></Link></li>
        ))}
      </ul>
      <ul className="rail-foot">
        <li><a className="rail-link" href={`${HOST}/docs`} target="_blank" rel="noreferrer"><Icon name="reference" /><span>{texts.rail.reference}</span></a></li>
        <li><a className="rail-link" href={`${HOST}/guides`} target="_blank" rel="noreferrer"><Icon name="guides" /><span>{texts.rail.guides}</span></a></li>
      </ul>
      <KeyCard />
    </nav>
  );
}

/** The workspace and the key, with what it may do. */
function KeyCard() {
  const { key } = useKey();
  const { account, isLive } = useRights();
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  if (key === null) return null;
  const open = () => { setOpen(true); dialog.current?.showModal(); };
  return (
    <div className="key-card">
      <button type="button" onClick={open} aria-haspopup="dialog">
        <span className="key-workspace">{account?.workspace.name ?? texts.key.workspace}</span>
        <span className="key-row">
          <b className={isLive ? 'badge live' : 'badge test'}>{isLive ? texts.key.live : texts.key.test}</b>
          <code>{prefixOf(key)}</code>
        </span>
      </button>
      <dialog ref={dialog} className="dialog" aria-labelledby="key-title" onClose={() => setOpen(false)} onClick={(event) => { if (event.target === dialog.current) dialog.current?.close(); }}>
        {isOpen && (
          <div className="dialog-body">
            <h2 id="key-title">{account?.workspace.name ?? texts.key.details}</h2>
            {isLive && <p className="live-note">{texts.key.liveNote}</p>}
            <dl className="facts">
              <dt>{texts.key.details}</dt><dd>{account && `${account.key.name} `}<code>{prefixOf(key)}</code></dd>
              {account && <><dt>{texts.key.plan}</dt><dd>{account.plan.code}</dd></>}
              {account && <><dt>{texts.key.expires}</dt><dd>{account.key.expires_at ? shownMoment(account.key.expires_at) : texts.key.never}</dd></>}
              {account && <><dt>{texts.key.templates}</dt><dd>{account.key.template_ids.join(', ') || texts.key.allTemplates}</dd></>}
              <dt>{texts.key.scopes}</dt>
              <dd>{account ? <ul className="chips">{account.key.scopes.map((scope) => <li key={scope}><code>{scope}</code></li>)}</ul> : texts.key.scopesUnknown}</dd>
            </dl>
            <p className="dialog-foot">
              <button type="button" className="button" onClick={() => dialog.current?.close()}>{texts.play.close}</button>
              <button type="button" className="button danger" onClick={signOut}>{texts.key.signOut}</button>
            </p>
          </div>
        )}
      </dialog>
    </div>
  );
}
