import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useRights } from '../../api/account.ts';
import { useKey } from '../../api/key.ts';
import { texts } from '../../texts.ts';
import { CopyAs } from '../../ui/copy.tsx';
import { programsOf } from '../../ui/programs.ts';
import { useTitle } from '../../ui/title.ts';
import { Empty, SectionHead, Waiting } from '../parts/list.tsx';
import { Mark } from '../parts/mark.tsx';
import { LastTest } from '../parts/last-test.tsx';
import { DestinationForm } from './destination-form.tsx';
import { destinations } from './queries.ts';
import { Uploads } from './uploads.tsx';

const words = texts.deliveries.storage;

/** All storage destinations, and what was stored lately. */
export function StorageView() {
  const { key } = useKey();
  const { can } = useRights();
  const isAllowed = can('storage:read');
  const list = useQuery({ ...destinations(key ?? ''), enabled: isAllowed });
  const [isNew, setNew] = useState(false);
  useTitle(words.title);
  if (!isAllowed) return <p className="pane-note">{texts.key.noScope('storage:read')}</p>;
  const all = list.data?.data ?? [];
  const add = can('storage:write') && <button type="button" className="button primary" onClick={() => setNew(true)}>{words.add}</button>;
  return (
    <div className="deliveries-body">
      <section>
        <SectionHead title={words.list}>
          <CopyAs programs={() => programsOf({ method: 'GET', path: '/storage-destinations' })} />
          {all.length > 0 && add}
        </SectionHead>
        {list.data && all.length === 0 && <Empty title={words.none} lead={words.noneLead}>{add}</Empty>}
        {all.length > 0 && (
          <ul className="cards">
            {all.map((each) => (
              <li key={each.id} className="card">
                <div className="card-main">
                  <Link to="/deliveries/storage/$destination" params={{ destination: each.id }} className="row-link">{each.name}</Link>
                  <p className="card-second">
                    <Mark tone={each.status === 'active' ? 'good' : 'bad'}>{texts.deliveries.status[each.status]}</Mark>
                    {each.is_default && <b className="badge test">{words.default}</b>}
                    <span>{texts.deliveries.providers[each.provider]}</span>
                    <code>{each.path_template}</code>
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
      {all.length > 0 && <Uploads destinations={all} />}
      {isNew && <DestinationForm destination={null} onClose={() => setNew(false)} />}
    </div>
  );
}
