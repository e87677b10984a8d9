import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import * as Menu from '@radix-ui/react-dropdown-menu';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useRights } from '../../api/account.ts';
import { api, dataOf, done } from '../../api/client.ts';
import { useKey } from '../../api/key.ts';
import { texts } from '../../texts.ts';
import { CopyAs, CopyText } from '../../ui/copy.tsx';
import { shownMoment } from '../../ui/format.ts';
import { Icon } from '../../ui/icons.tsx';
import { IdLink } from '../../ui/id-link.tsx';
import { programsOf } from '../../ui/programs.ts';
import { useTitle } from '../../ui/title.ts';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { ChoiceField, Form } from '../parts/form.tsx';
import { SectionHead, Waiting } from '../parts/list.tsx';
import { Mark } from '../parts/mark.tsx';
import { Refused } from '../parts/outcome.tsx';
import { SecretOnce } from '../parts/secret-once.tsx';
import { DayStrip } from './day-strip.tsx';
import { DeliveryLog } from './delivery-log.tsx';
import { EndpointForm } from './endpoint-form.tsx';
import { type Endpoint, lastDay, oneEndpoint } from './queries.ts';
import { stateOf } from './words.ts';

const words = texts.deliveries.webhooks;
/** The events that have samples. */
const SAMPLES = ['render.succeeded', 'render.failed', 'render.expired', 'template.published'] as const;
/** How long the old secret goes on signing, in seconds. */
const OVERLAPS = ['0', '3600', '86400', '604800'] as const;

/** One endpoint: its last 24 hours, its settings, and its log. */
export function EndpointView() {
  const { endpoint: id } = useParams({ from: '/deliveries/webhooks/$endpoint' });
  const search = useSearch({ from: '/deliveries/webhooks/$endpoint' });
  const navigate = useNavigate({ from: '/deliveries/webhooks/$endpoint' });
  const { key } = useKey();
  const { can } = useRights();
  const isAllowed = can('webhooks:read');
  const found = useQuery({ ...oneEndpoint(key ?? '', id), enabled: isAllowed });
  const day = useQuery({ ...lastDay(key ?? '', id), enabled: isAllowed });
  useTitle(found.data?.url ?? words.title);
  if (!isAllowed) return <p className="pane-note">{texts.key.noScope('webhooks:read')}</p>;
  if (!found.data) return <div className="deliveries-body"><Back /><Waiting query={found} /></div>;
  const endpoint = found.data;
  const { tone, word } = stateOf(endpoint);
  return (
    <div className="deliveries-body">
      <header className="thing-head">
        <Back />
        <h2>{endpoint.url}</h2>
        <Mark tone={tone}>{word}</Mark>
        {endpoint.is_default && <b className="badge test">{words.default}</b>}
        <Actions endpoint={endpoint} />
      </header>
      {endpoint.disabled_reason === 'failing' && <p className="remark bad">{words.failingNote}</p>}
      <section>
        <SectionHead title={words.day} />
        {day.data && <DayStrip day={day.data} label={words.dayOf(endpoint.url)} isLarge />}
        <Waiting query={day} />
      </section>
      <section>
        <SectionHead title={texts.render.details} />
        <Facts endpoint={endpoint} />
      </section>
      <section>
        <SectionHead title={words.log} />
        <DeliveryLog
          search={{ ...search, endpoint_id: id }}
          onSearch={({ status }) => void navigate({ search: status ? { status } : {}, replace: true })}
        />
      </section>
    </div>
  );
}

function Back() {
  return <Link to="/deliveries/webhooks" className="back"><Icon name="back" />{words.title}</Link>;
}

function Facts({ endpoint }: { endpoint: Endpoint }) {
  const headers = Object.entries(endpoint.headers);
  return (
    <dl className="facts">
      <dt>{texts.render.id}</dt><dd><CopyText text={endpoint.id} /></dd>
      {endpoint.description && <><dt>{words.description}</dt><dd>{endpoint.description}</dd></>}
      <dt>{words.eventsLabel}</dt><dd><ul className="chips">{endpoint.events.map((each) => <li key={each}><code>{each}</code></li>)}</ul></dd>
      <dt>{words.templates}</dt><dd>{endpoint.template_ids.length === 0 ? words.allTemplates : <ul className="chips">{endpoint.template_ids.map((each) => <li key={each}><IdLink id={each} /></li>)}</ul>}</dd>
      {headers.length > 0 && <><dt>{words.headers}</dt><dd><ul className="chips">{headers.map(([name, value]) => <li key={name}><code>{name}: {value}</code></li>)}</ul></dd></>}
      {endpoint.previous_secret_expires_at && <><dt>{words.oldSecret}</dt><dd>{words.until(shownMoment(endpoint.previous_secret_expires_at))}</dd></>}
      <dt>{texts.deliveries.created}</dt><dd>{shownMoment(endpoint.created_at)}</dd>
    </dl>
  );
}

function Actions({ endpoint }: { endpoint: Endpoint }) {
  const { can } = useRights();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<'edit' | 'roll' | null>(null);
  const params = { path: { id: endpoint.id } };
  const refresh = () => queries.invalidateQueries({ queryKey: ['webhook-endpoints'] });
  const change = useMutation({
    mutationFn: (body: { enabled?: boolean; is_default?: true }) => dataOf(api.PATCH('/v1/webhook-endpoints/{id}', { params, body })),
    onSettled: refresh,
  });
  const sample = useMutation({
    mutationFn: (event: string) => dataOf(api.POST('/v1/webhook-endpoints/{id}/test', { params, body: { event } })),
    onSuccess: (delivery) => void navigate({ to: '/deliveries/webhooks/$endpoint/$delivery', params: { endpoint: endpoint.id, delivery: delivery.id } }),
  });
  const remove = async () => {
    await done(api.DELETE('/v1/webhook-endpoints/{id}', { params }));
    await navigate({ to: '/deliveries/webhooks', search: {} });
    await refresh();
  };
  return (
    <div className="actions">
      <CopyAs programs={() => programsOf({ method: 'GET', path: `/webhook-endpoints/${endpoint.id}` })} />
      {can('webhooks:write') && (
        <>
          <Menu.Root modal={false}>
            <Menu.Trigger className="button primary" disabled={sample.isPending}>{words.sendTest}<Icon name="down" /></Menu.Trigger>
            <Menu.Portal>
              <Menu.Content className="menu" align="end" sideOffset={4}>
                {SAMPLES.map((event) => <Menu.Item key={event} className="menu-item" onSelect={() => sample.mutate(event)}>{event}</Menu.Item>)}
              </Menu.Content>
            </Menu.Portal>
          </Menu.Root>
          <button type="button" className="button" onClick={() => setDialog('edit')}>{texts.deliveries.edit}</button>
          <button type="button" className="button" disabled={change.isPending} onClick={() => change.mutate({ enabled: !endpoint.enabled })}>{endpoint.enabled ? words.turnOff : words.turnOn}</button>
          {!endpoint.is_default && <button type="button" className="button" disabled={change.isPending} onClick={() => change.mutate({ is_default: true })}>{words.makeDefault}</button>}
          <button type="button" className="button" onClick={() => setDialog('roll')}>{words.roll}</button>
          <Confirm label={texts.deliveries.delete} title={words.deleteTitle} lead={words.deleteLead} confirm={words.deleteConfirm} run={remove} />
        </>
      )}
      <Refused errors={[change.error, sample.error]} />
      {dialog === 'edit' && <EndpointForm endpoint={endpoint} onClose={() => setDialog(null)} />}
      {dialog === 'roll' && <RollSecret endpoint={endpoint} onClose={() => setDialog(null)} />}
    </div>
  );
}

function RollSecret({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const queries = useQueryClient();
  const [overlap, setOverlap] = useState<(typeof OVERLAPS)[number]>('86400');
  const roll = useMutation({
    mutationFn: () => dataOf(api.POST('/v1/webhook-endpoints/{id}/roll-secret', { params: { path: { id: endpoint.id } }, body: { expire_previous_in: Number(overlap) } })),
    gcTime: 0,
    onSuccess: () => queries.invalidateQueries({ queryKey: ['webhook-endpoints'] }),
  });
  if (roll.data) return <SecretOnce title={words.secretTitle} lead={words.rolledLead} secret={roll.data.secret} onClose={onClose} />;
  return (
    <Dialog title={words.rollTitle} onClose={onClose}>
      <p>{words.rollLead}</p>
      <Form save={words.rollConfirm} isSaving={roll.isPending} error={roll.error} onSave={() => roll.mutate()} onCancel={onClose}>
        <ChoiceField label={words.overlap} pointer="/expire_previous_in" value={overlap} values={OVERLAPS.map((value) => ({ value, label: words.overlaps[value] }))} onChange={setOverlap} />
      </Form>
    </Dialog>
  );
}
