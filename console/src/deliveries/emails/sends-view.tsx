import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, Navigate, useNavigate, useSearch } from '@tanstack/react-router';
import { useRef } from 'react';
import { useRights } from '../../api/account.ts';
import { useKey } from '../../api/key.ts';
import { texts } from '../../texts.ts';
import { CopyAs } from '../../ui/copy.tsx';
import { shownNumber, shownShortMoment } from '../../ui/format.ts';
import { programsOf } from '../../ui/programs.ts';
import { useRowKeys } from '../../ui/row-keys.ts';
import { useTitle } from '../../ui/title.ts';
import { Empty, LoadMore, Waiting } from '../parts/list.tsx';
import { Mark } from '../parts/mark.tsx';
import { SEND_STATUSES, type SendsSearch } from '../search.ts';
import { EmailParts } from './email-parts.tsx';
import { type Send, sendPages, statistics, TONES } from './queries.ts';

const words = texts.deliveries.emails;
const FILTERS = ['render_id', 'batch_id', 'rule_id'] as const;

/** All emails, newest first, with the numbers of the last 30 days. */
export function SendsView() {
  const search = useSearch({ from: '/deliveries/emails' });
  const navigate = useNavigate({ from: '/deliveries/emails' });
  const { key } = useKey();
  const { can } = useRights();
  const isAllowed = can('renders:read');
  const list = useInfiniteQuery({ ...sendPages(key ?? '', search), enabled: isAllowed });
  const table = useRef<HTMLTableElement>(null);
  useTitle(words.title);
  useRowKeys(table);
  if (!isAllowed) return can('email:read') ? <Navigate to="/deliveries/emails/rules" replace /> : <p className="pane-note">{texts.key.noScope('renders:read')}</p>;
  const rows = list.data?.pages.flatMap((page) => page.data) ?? [];
  const isFiltered = Object.keys(search).length > 0;
  const set = (next: SendsSearch) => void navigate({ search: next, replace: true });
  const isEmpty = list.data !== undefined && rows.length === 0 && !list.hasNextPage;
  return (
    <div className="deliveries-body">
      <EmailParts><CopyAs programs={() => programsOf({ method: 'GET', path: '/email-sends' })} /></EmailParts>
      {can('email:read') && <Statistics />}
      <section>
        {(!isEmpty || isFiltered) && (
          <form className="filters" role="search" aria-label={words.sends} onSubmit={(event) => event.preventDefault()}>
            <label className="filter">
              <span>{words.columns.status}</span>
              <select className="input" value={search.status ?? ''} onChange={(event) => set(withStatus(search, event.target.value))}>
                <option value="">{texts.renders.any}</option>
                {SEND_STATUSES.map((each) => <option key={each} value={each}>{words.status[each]}</option>)}
              </select>
            </label>
            {FILTERS.filter((name) => search[name] !== undefined).map((name) => <code key={name} className="filter-chip">{name}={search[name]}</code>)}
            {isFiltered && <button type="button" className="link" onClick={() => set({})}>{texts.renders.clear}</button>}
          </form>
        )}
        {rows.length > 0 && (
          <table className="rows" ref={table}>
            <caption className="hidden">{words.sends}. {texts.renders.keys}</caption>
            <thead>
              <tr>
                <th scope="col">{words.columns.status}</th>
                <th scope="col">{words.columns.email}</th>
                <th scope="col" className="wide-only">{words.columns.provider}</th>
                <th scope="col" className="figure">{words.columns.created}</th>
              </tr>
            </thead>
            <tbody>{rows.map((send) => <Row key={send.id} send={send} />)}</tbody>
          </table>
        )}
        {isEmpty && (isFiltered
          ? <p className="none-line">{words.noneFiltered}</p>
          : <Empty title={words.noSends} lead={words.noSendsLead}>{can('email:write') && <Link to="/deliveries/emails/connections" className="button primary">{words.connections}</Link>}</Empty>)}
        <Waiting query={list} />
        <LoadMore query={list} />
      </section>
    </div>
  );
}

function withStatus({ status: _before, ...rest }: SendsSearch, given: string): SendsSearch {
  const status = SEND_STATUSES.find((each) => each === given);
  return { ...rest, ...(status ? { status } : {}) };
}

function Row({ send }: { send: Send }) {
  return (
    <tr>
      <td><Mark tone={TONES[send.status]}>{words.status[send.status]}</Mark></td>
      <td className="document">
        <Link to="/deliveries/emails/sends/$send" params={{ send: send.id }} className="row-link">{send.subject ?? words.noSubject}</Link>
        <span className="row-second">
          {send.test && <b className="badge test">{texts.renders.test}</b>}
          <span>{send.to.map(({ email }) => email).join(', ') || words.nobody}</span>
          {send.error && <code className="row-error">{send.error.code}</code>}
        </span>
      </td>
      <td className="wide-only">{texts.deliveries.providers[send.provider]}</td>
      <td className="figure"><time dateTime={send.created_at}>{shownShortMoment(send.created_at)}</time></td>
    </tr>
  );
}

function Statistics() {
  const { key } = useKey();
  const found = useQuery(statistics(key ?? ''));
  if (!found.data) return null;
  const { today, last_30_days: counts } = found.data;
  return (
    <section>
      <p className="stats" aria-label={words.statsTitle}>
        <span>{words.statsTitle}</span>
        {(['sent', 'sandboxed', 'skipped', 'failed', 'unknown', 'canceled'] as const).filter((each) => each === 'sent' || each === 'failed' || counts[each] > 0).map((each) => (
          <span key={each}><b>{shownNumber(counts[each])}</b> {words.status[each].toLowerCase()}</span>
        ))}
        <span>{words.today(shownNumber(today.recipients), shownNumber(today.limit))}</span>
      </p>
    </section>
  );
}
