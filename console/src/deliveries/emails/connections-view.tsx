import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useRights } from '../../api/account.ts';
import { useKey } from '../../api/key.ts';
import { texts } from '../../texts.ts';
import { CopyAs } from '../../ui/copy.tsx';
import { programsOf } from '../../ui/programs.ts';
import { useTitle } from '../../ui/title.ts';
import { LastTest } from '../parts/last-test.tsx';
import { Empty, Waiting } from '../parts/list.tsx';
import { Mark } from '../parts/mark.tsx';
import { ConnectionForm } from './connection-form.tsx';
import { EmailParts } from './email-parts.tsx';
import { connections } from './queries.ts';

const words = texts.deliveries.emails;

/** All email connections. */
export function ConnectionsView() {
  const { key } = useKey();
  const { can } = useRights();
  const isAllowed = can('email:read');
  const list = useQuery({ ...connections(key ?? ''), enabled: isAllowed });
  const [isNew, setNew] = useState(false);
  useTitle(words.connections);
  if (!isAllowed) return <p className="pane-note">{texts.key.noScope('email:read')}</p>;
  const all = list.data?.data ?? [];
  const add = can('email:write') && <button type="button" className="button primary" onClick={() => setNew(true)}>{words.addConnection}</button>;
  return (
    <div className="deliveries-body">
      <EmailParts>
        <CopyAs programs={() => programsOf({ method: 'GET', path: '/email-connections' })} />
        {all.length > 0 && add}
      </EmailParts>
      <section>
        {list.data && all.length === 0 && <Empty title={words.noConnections} lead={words.noConnectionsLead}>{add}</Empty>}
        {all.length > 0 && (
          <ul className="cards">
            {all.map((each) => (
              <li key={each.id} className="card">
                <div className="card-main">
                  <Link to="/deliveries/emails/connections/$connection" params={{ connection: each.id }} className="row-link">{each.name}</Link>
                  <p className="card-second">
                    <Mark tone={each.status === 'active' ? 'good' : 'bad'}>{texts.deliveries.status[each.status]}</Mark>
                    <span>{texts.deliveries.providers[each.provider]}</span>
                    <span>{each.default_from.email}</span>
                    {each.last_error && <span className="row-error">{each.last_error.message}</span>}
                  </p>
                </div>
                <p className="card-side"><LastTest at={each.last_test_at} outcome={each.last_test_status} /></p>
              </li>
            ))}
          </ul>
        )}
        <Waiting query={list} />
      </section>
      {isNew && <ConnectionForm connection={null} onClose={() => setNew(false)} />}
    </div>
  );
}
