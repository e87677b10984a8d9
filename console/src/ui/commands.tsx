import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { useState } from 'react';
import { useRights } from '../api/account.ts';
import { HOST } from '../api/client.ts';
import { signOut } from '../api/key.ts';
import { texts } from '../texts.ts';
import './palette.css';
import { placeOfId } from './ids.ts';
import { viewsFor } from './views.ts';

/** The field and the list of the command palette. */
export default function Commands({ close, showShortcuts }: { close: () => void; showShortcuts: () => void }) {
  const navigate = useNavigate();
  const rights = useRights();
  const [words, setWords] = useState('');
  const id = words.trim();
  const place = placeOfId(id);
  const after = (act: () => void) => () => { close(); act(); };
  const shown = (text: string) => text.toLowerCase().includes(words.trim().toLowerCase());
  const actions = [
    { text: texts.palette.copyAddress, act: after(() => void navigator.clipboard.writeText(location.href)) },
    { text: texts.palette.shortcuts, act: showShortcuts },
    { text: texts.rail.reference, act: after(() => window.open(`${HOST}/docs`, '_blank', 'noreferrer')) },
    { text: texts.rail.guides, act: after(() => window.open(`${HOST}/guides`, '_blank', 'noreferrer')) },
    { text: texts.palette.signOut, act: after(signOut) },
  ].filter(({ text }) => shown(text));
  const views = viewsFor(rights).filter(({ name }) => shown(texts.rail[name]));
  const isEmpty = place === null && views.length === 0 && actions.length === 0;
  return (
    <Command label={texts.palette.title} shouldFilter={false} loop>
      <Command.Input autoFocus value={words} onValueChange={setWords} placeholder={texts.palette.placeholder} />
      <p className="palette-none" role="status">{isEmpty && texts.palette.none}</p>
      <Command.List label={texts.palette.title} hidden={isEmpty}>
        {place && (
          <Command.Group heading={texts.palette.ids}>
            <Command.Item value={id} onSelect={after(() => void navigate({ href: place }))}><code>{id}</code></Command.Item>
          </Command.Group>
        )}
        {views.length > 0 && (
          <Command.Group heading={texts.palette.views}>
            {views.map(({ to, name }) => <Command.Item key={to} value={to} onSelect={after(() => void navigate({ to }))}>{texts.rail[name]}</Command.Item>)}
          </Command.Group>
        )}
        {actions.length > 0 && (
          <Command.Group heading={texts.palette.actions}>
            {actions.map(({ text, act }) => <Command.Item key={text} value={text} onSelect={act}>{text}</Command.Item>)}
          </Command.Group>
        )}
      </Command.List>
    </Command>
  );
}
