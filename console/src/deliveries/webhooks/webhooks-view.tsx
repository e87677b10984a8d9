import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useRights } from '../../api/account.ts';
import { useKey } from '../../api/key.ts';
import { texts } from '../../texts.ts';
import { CopyAs } from '../../ui/copy.tsx';
import { programsOf } from '../../ui/programs.ts';
import { useTitle } from '../../ui/title.ts';
import { Empty, SectionHead, Waiting } from '../parts/list.tsx';
import { Mark } from '../parts/mark.tsx';
import { DayStrip } from './day-strip.tsx';
import { DeliveryLog } from './delivery-log.tsx';
import { EndpointForm } from './endpoint-form.tsx';
import { type Day, type Endpoint, endpoints, lastDay } from './queries.ts';
import { stateOf } from './words.ts';

const words = texts.deliveries.webhooks;

/** All webhook endpoints with their last 24 hours, and the log of all deliveries. */
export function WebhooksView() {
  const search = useSearch({ from: '/deliveries/webhooks' });
  const navigate = useNavigate({ from: '/deliveries/webhooks' });
  const { key } = useKey();
  const { can } = useRights();
  const isAllowed = can('webhooks:read');
  const list = useQuery({ ...endpoints(key ?? ''), enabled: isAllowed });
  const day = useQuery({ ...lastDay(key ?? ''), enabled: isAllowed });
  const [isNew, setNew] = useState(false);
  useTitle(words.title);
  if (!isAllowed) return <p className="pane-note">{texts.key.noScope('webhooks:read')}</p>;
  const all = list.data?.data ?? [];
  const add = can('webhooks:write') && <button type="button" className="button primary" onClick={() => setNew(true)}>{words.add}</button>;
  return (
    <div className="deliveries-body">
      <section>
        <SectionHead title={words.endpoints}>
          <CopyAs programs={() => programsOf({ method: 'GET', path: '/webhook-endpoints' })} />
          {all.length > 0 && add}
        </SectionHead>
        {list.data && all.length === 0 && <Empty title={words.none} lead={words.noneLead}>{add}</Empty>}
        {all.length > 0 && (
          <ul className="cards">
            {all.map((endpoint) => <EndpointRow key={endpoint.id} endpoint={endpoint} day={day.data} />)}
          </ul>
        )}
        <Waiting query={list} />
      </section>
      <section>
        <SectionHead title={words.log} />
        <DeliveryLog
          search={search}
          endpoints={all}
          onSearch={(next) => void navigate({ search: next, replace: true })}
        />
      </section>
      {isNew && <EndpointForm endpoint={null} onClose={() => setNew(false)} />}
    </div>
  );
}

function EndpointRow({ endpoint, day }: { endpoint: Endpoint; day: Day | undefined }) {
  const { tone, word } = stateOf(endpoint);
  const own = day && { ...day, deliveries: day.deliveries.filter((each) => each.endpoint_id === endpoint.id) };
  return (
    <li className="card">
      <div className="card-main">
        <Link to="/deliveries/webhooks/$endpoint" params={{ endpoint: endpoint.id }} className="row-link">{endpoint.url}</Link>
        <p className="card-second">
          <Mark tone={tone}>{word}</Mark>
          {endpoint.is_default && <b className="badge test">{words.default}</b>}
          <span>{words.eventCount(endpoint.events.length)}</span>
          {endpoint.description && <span className="card-note">{endpoint.description}</span>}
        </p>
      </div>
      {own && <DayStrip day={own} label={words.dayOf(endpoint.url)} />}
    </li>
  );
}
