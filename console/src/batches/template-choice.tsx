import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useRights } from '../api/account.ts';
import { api, dataOf } from '../api/client.ts';
import { useKey } from '../api/key.ts';
import { problemOf } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { ProblemBox } from '../ui/problem-box.tsx';
import { templateOf } from './template-queries.ts';

const PAGE = 20;

type Props = { id: string | undefined; onChange: (id: string | undefined) => void };

/** The template of a batch: found by its name, or named by its id. */
export function TemplateChoice({ id, onChange }: Props) {
  const { key } = useKey();
  const { can } = useRights();
  const mayRead = can('templates:read');
  const [words, setWords] = useState('');
  const chosen = useQuery({ ...templateOf(key ?? '', id ?? ''), enabled: mayRead && id !== undefined });
  const q = words.trim();
  const found = useQuery({
    queryKey: ['templates-found', key, q],
    enabled: mayRead && id === undefined,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => dataOf(api.GET('/v1/templates', { params: { query: { limit: PAGE, ...(q ? { q } : {}) } }, signal })),
  });
  if (!mayRead) {
    return (
      <label className="field">
        <span>{texts.newBatch.templateId}</span>
        <input className="input mono" placeholder="tpl_…" value={id ?? ''} onChange={(event) => onChange(event.target.value.trim() || undefined)} />
        <small>{texts.newBatch.templateNoScope}</small>
      </label>
    );
  }
  if (id !== undefined) {
    return (
      <>
        <p className="chosen">
          <b>{chosen.data?.name ?? id}</b>
          {chosen.data && <code>{id}</code>}
          <button type="button" className="link" onClick={() => onChange(undefined)}>{texts.newBatch.change}</button>
        </p>
        {chosen.data?.live_version === null && <p className="warn-note">{texts.newBatch.notPublished}</p>}
        {chosen.error && <ProblemBox problem={problemOf(chosen.error)} />}
      </>
    );
  }
  const templates = found.data?.data ?? [];
  return (
    <>
      <input className="input" type="search" placeholder={texts.newBatch.search} aria-label={texts.newBatch.search} value={words} onChange={(event) => setWords(event.target.value)} />
      {found.error && <ProblemBox problem={problemOf(found.error)} />}
      {found.isSuccess && templates.length === 0 && (
        <p className="quiet">{q ? texts.newBatch.noTemplate(q) : <>{texts.newBatch.noTemplates} <Link to="/playground">{texts.renders.open}</Link></>}</p>
      )}
      <ul className="template-list">
        {templates.map((template) => (
          <li key={template.id}>
            <button type="button" disabled={template.live_version === null} onClick={() => onChange(template.id)}>
              <b>{template.name}</b>
              <span className="quiet">{template.live_version === null ? texts.newBatch.unpublished : texts.render.version(template.live_version.number)}</span>
            </button>
          </li>
        ))}
      </ul>
      {found.data?.has_more && <p className="quiet">{texts.newBatch.moreTemplates}</p>}
    </>
  );
}
