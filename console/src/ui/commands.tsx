import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { useState } from 'react';
import { useRights } from '../api/account.ts';
import { api, dataOf, HOST } from '../api/client.ts';
import { signOut, useKey } from '../api/key.ts';
import { texts } from '../texts.ts';
import './palette.css';
import { placeOfId } from './ids.ts';
import { useSettled } from './settled.ts';
import { viewsFor } from './views.ts';

const MAX_TEMPLATES = 6;
const MAX_WORDS = 120;

/** The field and the list of the command palette. */
export default function Commands({ close, showShortcuts }: { close: () => void; showShortcuts: () => void }) {
  const navigate = useNavigate();
  const rights = useRights();
  const [words, setWords] = useState('');
  const id = words.trim();
  const place = placeOfId(id);
  const found = useTemplates(place === null ? id.slice(0, MAX_WORDS) : '');
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
  const isEmpty = place === null && views.length === 0 && found.templates.length === 0 && actions.length === 0;
  return (
    <Command label={texts.palette.title} shouldFilter={false} loop>
      <Command.Input autoFocus value={words} onValueChange={setWords} placeholder={texts.palette.placeholder} />
      <p className="palette-none" role="status">{isEmpty && (found.isSearching ? texts.palette.searching : texts.palette.none)}</p>
      <Command.List label={texts.palette.title} hidden={isEmpty}>
        {place && (
          <Command.Group heading={texts.palette.ids}>
            <Command.Item value={id} onSelect={after(() => void navigate({ to: place }))}><code>{id}</code></Command.Item>
          </Command.Group>
        )}
        {views.length > 0 && (
          <Command.Group heading={texts.palette.views}>
            {views.map(({ to, name }) => <Command.Item key={to} value={to} onSelect={after(() => void navigate({ to }))}>{texts.rail[name]}</Command.Item>)}
          </Command.Group>
        )}
        {found.templates.length > 0 && (
          <Command.Group heading={texts.palette.templates}>
            {found.templates.map(({ id: template, name }) => (
              <Command.Item key={template} value={template} onSelect={after(() => void navigate({ to: '/templates/$id', params: { id: template } }))}><bdi>{name}</bdi></Command.Item>
            ))}
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

/** The templates whose names have the words, once somebody has stopped typing. */
function useTemplates(words: string) {
  const { key } = useKey();
  const { can } = useRights();
  const settled = useSettled(words);
  const mayRead = words !== '' && can('templates:read');
  const query = useQuery({
    queryKey: ['templates', key, 'palette', settled],
    queryFn: ({ signal }) => dataOf(api.GET('/v1/templates', { params: { query: { q: settled, limit: MAX_TEMPLATES } }, signal })),
    enabled: mayRead && settled !== '',
    placeholderData: keepPreviousData,
  });
  const isSearching = mayRead && (settled !== words || query.isFetching);
  const low = words.toLowerCase();
  // Answers to earlier words stay until the next ones are there.
  const templates = mayRead ? (query.data?.data ?? []).filter(({ id, name }) => name.toLowerCase().includes(low) || id.toLowerCase().startsWith(low)) : [];
  return { templates, isSearching };
}
