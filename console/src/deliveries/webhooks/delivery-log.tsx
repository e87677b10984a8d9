import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useRights } from '../../api/account.ts';
import { api, dataOf } from '../../api/client.ts';
import { useKey } from '../../api/key.ts';
import { problemOf } from '../../api/problem.ts';
import { texts } from '../../texts.ts';
import { shownShortMoment } from '../../ui/format.ts';
import { ProblemBox } from '../../ui/problem-box.tsx';
import { useRowKeys } from '../../ui/row-keys.ts';
import { LoadMore, Waiting } from '../parts/list.tsx';
import { Mark } from '../parts/mark.tsx';
import { DELIVERY_STATUSES, type WebhooksSearch } from '../search.ts';
import { type Delivery, deliveryPages, type Endpoint, OF_REQUESTS } from './queries.ts';
import { TONES } from './words.ts';

const words = texts.deliveries.webhooks;

type Props = {
  search: WebhooksSearch;
  /** The endpoints that can be chosen; without them the log is that of one. */
  endpoints?: readonly Endpoint[];
  onSearch: (search: WebhooksSearch) => void;
};

/** Deliveries of the last 30 days, newest first, with filters that the address holds. */
export function DeliveryLog({ search, endpoints, onSearch }: Props) {
  const { key } = useKey();
  const log = useInfiniteQuery(deliveryPages(key ?? '', search));
  const table = useRef<HTMLTableElement>(null);
  useRowKeys(table);
  const rows = log.data?.pages.flatMap((page) => page.data) ?? [];
  const { status: _status, endpoint_id: _endpoint, render_id: _render, ...none } = search;
  const isFiltered = search.status !== undefined || (endpoints !== undefined && (search.endpoint_id ?? search.render_id) !== undefined);
  const isEmpty = log.data !== undefined && rows.length === 0 && !log.hasNextPage;
  if (isEmpty && !isFiltered) return <p className="none-line">{words.noDeliveries}</p>;
  return (
    <>
      <form className="filters" role="search" aria-label={words.log} onSubmit={(event) => event.preventDefault()}>
        <fieldset className="segments">
          <legend className="hidden">{words.columns.status}</legend>
          {DELIVERY_STATUSES.map((status) => (
            <button key={status} type="button" aria-pressed={search.status === status} onClick={() => onSearch(search.status === status ? without(search, 'status') : { ...search, status })}>
              {words.status[status]}
            </button>
          ))}
        </fieldset>
        {endpoints && (
          <label className="filter wide">
            <span>{words.columns.endpoint}</span>
            <select className="input" value={search.endpoint_id ?? ''} onChange={(event) => onSearch(event.target.value === '' ? without(search, 'endpoint_id') : { ...search, endpoint_id: event.target.value })}>
              <option value="">{texts.renders.any}</option>
              {endpoints.map((each) => <option key={each.id} value={each.id}>{each.url}</option>)}
            </select>
          </label>
        )}
        {endpoints && <RenderFilter value={search.render_id ?? ''} onChange={(render_id) => onSearch(render_id === '' ? without(search, 'render_id') : { ...search, render_id })} />}
        {isFiltered && <button type="button" className="link" onClick={() => onSearch(endpoints ? none : without(search, 'status'))}>{texts.renders.clear}</button>}
        <span className="spacer" />
        <Redrive deliveries={rows.filter((each) => each.status === 'failed' || each.status === 'canceled')} />
      </form>
      {rows.length > 0 && (
        <table className="rows delivery-rows" ref={table}>
          <caption className="hidden">{words.log}. {texts.renders.keys}</caption>
          <thead>
            <tr>
              <th scope="col">{words.columns.status}</th>
              <th scope="col">{words.columns.event}</th>
              <th scope="col" className="figure">{words.columns.next}</th>
              <th scope="col" className="figure">{words.columns.created}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((delivery) => (
              <tr key={delivery.id}>
                <td><Mark tone={TONES[delivery.status]}>{words.status[delivery.status]}</Mark></td>
                <td className="document">
                  <Link to="/deliveries/webhooks/$endpoint/$delivery" params={{ endpoint: delivery.endpoint_id ?? OF_REQUESTS, delivery: delivery.id }} className="row-link">{delivery.event_type}</Link>
                  {endpoints && <span className="row-second"><span>{targetOf(delivery, endpoints)}</span></span>}
                </td>
                <td className="figure">{delivery.next_attempt_at && <time dateTime={delivery.next_attempt_at}>{shownShortMoment(delivery.next_attempt_at)}</time>}</td>
                <td className="figure"><time dateTime={delivery.created_at}>{shownShortMoment(delivery.created_at)}</time></td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {isEmpty && <p className="none-line">{words.noneFiltered}</p>}
      <Waiting query={log} />
      <LoadMore query={log} />
    </>
  );
}

function RenderFilter({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [text, setText] = useState<string | null>(null);
  const done = () => {
    if (text !== null && text.trim() !== value) onChange(text.trim());
    setText(null);
  };
  return (
    <label className="filter wide">
      <span>{words.columns.render}</span>
      <input className="input" placeholder="rnd_…" value={text ?? value} onChange={(event) => setText(event.target.value)} onBlur={done} onKeyDown={(event) => event.key === 'Enter' && done()} />
    </label>
  );
}

/** Send what the list shows as failed or canceled again, one after the other. */
function Redrive({ deliveries }: { deliveries: readonly Delivery[] }) {
  const { can } = useRights();
  const queries = useQueryClient();
  const [done, setDone] = useState(0);
  const redrive = useMutation({
    mutationFn: async (ids: readonly string[]) => {
      setDone(0);
      for (const id of ids) {
        await dataOf(api.POST('/v1/webhook-deliveries/{id}/replay', { params: { path: { id } } }));
        setDone((before) => before + 1);
      }
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['webhook-deliveries'] }),
  });
  const total = redrive.isPending ? redrive.variables.length : deliveries.length;
  if (!can('webhooks:write') || (deliveries.length === 0 && !redrive.isPending && !redrive.error)) return null;
  return (
    <>
      <button type="button" className="button" disabled={redrive.isPending || total === 0} onClick={() => redrive.mutate(deliveries.map(({ id }) => id))}>
        {redrive.isPending ? words.redriving(done, total) : words.redrive(total)}
      </button>
      {redrive.error && <ProblemBox problem={problemOf(redrive.error)} />}
    </>
  );
}

function targetOf(delivery: Delivery, endpoints: readonly Endpoint[]): string {
  if (delivery.endpoint_id === null) return words.ofRequest;
  return endpoints.find(({ id }) => id === delivery.endpoint_id)?.url ?? delivery.endpoint_id;
}

function without(search: WebhooksSearch, name: keyof WebhooksSearch): WebhooksSearch {
  const { [name]: _gone, ...rest } = search;
  return rest;
}
