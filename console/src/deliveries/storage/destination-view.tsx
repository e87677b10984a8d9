import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useRights } from '../../api/account.ts';
import { api, dataOf, done } from '../../api/client.ts';
import { useKey } from '../../api/key.ts';
import { texts } from '../../texts.ts';
import { CopyAs, CopyText } from '../../ui/copy.tsx';
import { shownMoment } from '../../ui/format.ts';
import { Icon } from '../../ui/icons.tsx';
import { programsOf } from '../../ui/programs.ts';
import { useTitle } from '../../ui/title.ts';
import { Confirm } from '../parts/dialog.tsx';
import { LastTest } from '../parts/last-test.tsx';
import { SectionHead, Waiting } from '../parts/list.tsx';
import { Mark } from '../parts/mark.tsx';
import { Refused } from '../parts/outcome.tsx';
import { SettingFacts } from '../parts/setting-facts.tsx';
import { Steps } from '../parts/steps.tsx';
import { DestinationForm } from './destination-form.tsx';
import { type Destination, oneDestination } from './queries.ts';
import { Uploads } from './uploads.tsx';

const words = texts.deliveries.storage;

/** One destination: its settings, its test, and what it got lately. */
export function DestinationView() {
  const { destination: id } = useParams({ from: '/deliveries/storage/$destination' });
  const { key } = useKey();
  const { can } = useRights();
  const isAllowed = can('storage:read');
  const found = useQuery({ ...oneDestination(key ?? '', id), enabled: isAllowed });
  const queries = useQueryClient();
  const test = useMutation({
    mutationFn: () => dataOf(api.POST('/v1/storage-destinations/{id}/test', { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['storage-destinations'] }),
  });
  useTitle(found.data?.name ?? words.title);
  if (!isAllowed) return <p className="pane-note">{texts.key.noScope('storage:read')}</p>;
  const back = <Link to="/deliveries/storage" className="back"><Icon name="back" />{words.list}</Link>;
  if (!found.data) return <div className="deliveries-body">{back}<Waiting query={found} /></div>;
  const destination = found.data;
  return (
    <div className="deliveries-body">
      <header className="thing-head">
        {back}
        <h2>{destination.name}</h2>
        <Mark tone={destination.status === 'active' ? 'good' : 'bad'}>{texts.deliveries.status[destination.status]}</Mark>
        {destination.is_default && <b className="badge test">{words.default}</b>}
        <Actions destination={destination}>
          <button type="button" className="button primary" title={words.testNote} disabled={test.isPending} onClick={() => test.mutate()}>{test.isPending ? texts.deliveries.testing : texts.deliveries.test}</button>
        </Actions>
      </header>
      {destination.last_error && <p className="remark bad"><code>{destination.last_error.code}</code> {destination.last_error.message}</p>}
      {(test.data || test.error) && (
        <div className="inset">
          {test.data && <Steps steps={test.data.steps} isOk={test.data.ok} />}
          <Refused errors={[test.error]} />
        </div>
      )}
      <section>
        <SectionHead title={texts.render.details} />
        <Facts destination={destination} />
      </section>
      <Uploads destinations={[destination]} only={destination.id} />
    </div>
  );
}

function Facts({ destination }: { destination: Destination }) {
  return (
    <dl className="facts">
      <dt>{texts.render.id}</dt><dd><CopyText text={destination.id} /></dd>
      <dt>{texts.deliveries.provider}</dt><dd>{texts.deliveries.providers[destination.provider]}</dd>
      <SettingFacts config={destination.config} />
      <dt>{words.path}</dt><dd><code>{destination.path_template}</code></dd>
      <dt>{words.keep}</dt><dd>{destination.keep_hosted_copy ? words.copyKept : words.copyNotKept}</dd>
      {!destination.credentials.configured && <><dt>{texts.deliveries.credentials}</dt><dd>{texts.deliveries.noCredentials}</dd></>}
      <dt>{texts.deliveries.test}</dt><dd><LastTest at={destination.last_test_at} outcome={destination.last_test_status} /></dd>
      <dt>{texts.deliveries.created}</dt><dd>{shownMoment(destination.created_at)}</dd>
    </dl>
  );
}

function Actions({ destination, children }: { destination: Destination; children: ReactNode }) {
  const { can } = useRights();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isEdited, setEdited] = useState(false);
  const params = { path: { id: destination.id } };
  const refresh = () => queries.invalidateQueries({ queryKey: ['storage-destinations'] });
  const change = useMutation({
    mutationFn: (is_default: boolean) => dataOf(api.PATCH('/v1/storage-destinations/{id}', { params, body: { is_default } })),
    onSettled: refresh,
  });
  const remove = async () => {
    await done(api.DELETE('/v1/storage-destinations/{id}', { params }));
    await navigate({ to: '/deliveries/storage' });
    await refresh();
  };
  return (
    <div className="actions">
      <CopyAs programs={() => programsOf({ method: 'GET', path: `/storage-destinations/${destination.id}` })} />
      {can('storage:write') && (
        <>
          {children}
          <button type="button" className="button" onClick={() => setEdited(true)}>{texts.deliveries.edit}</button>
          <button type="button" className="button" disabled={change.isPending} onClick={() => change.mutate(!destination.is_default)}>{destination.is_default ? words.noDefault : words.makeDefault}</button>
          <Confirm label={texts.deliveries.delete} title={words.deleteTitle} lead={words.deleteLead} confirm={words.deleteConfirm} run={remove} />
        </>
      )}
      <Refused errors={[change.error]} />
      {isEdited && <DestinationForm destination={destination} onClose={() => setEdited(false)} />}
    </div>
  );
}
