import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useRights } from '../../api/account.ts';
import { api, dataOf, done } from '../../api/client.ts';
import { useKey } from '../../api/key.ts';
import { texts } from '../../texts.ts';
import { CopyAs, CopyText } from '../../ui/copy.tsx';
import { shownMoment } from '../../ui/format.ts';
import { Icon } from '../../ui/icons.tsx';
import { programsOf } from '../../ui/programs.ts';
import { useTitle } from '../../ui/title.ts';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { Form, TextField } from '../parts/form.tsx';
import { LastTest } from '../parts/last-test.tsx';
import { SectionHead, Waiting } from '../parts/list.tsx';
import { Mark } from '../parts/mark.tsx';
import { SettingFacts } from '../parts/setting-facts.tsx';
import { Steps } from '../parts/steps.tsx';
import { ConnectionForm } from './connection-form.tsx';
import { type Connection, oneConnection } from './queries.ts';

const words = texts.deliveries.emails;

/** One connection: its settings, what its provider allows, and its test. */
export function ConnectionView() {
  const { connection: id } = useParams({ from: '/deliveries/emails/connections/$connection' });
  const { key } = useKey();
  const { can } = useRights();
  const isAllowed = can('email:read');
  const found = useQuery({ ...oneConnection(key ?? '', id), enabled: isAllowed });
  useTitle(found.data?.name ?? words.connections);
  if (!isAllowed) return <p className="pane-note">{texts.key.noScope('email:read')}</p>;
  const back = <Link to="/deliveries/emails/connections" className="back"><Icon name="back" />{words.connections}</Link>;
  if (!found.data) return <div className="deliveries-body">{back}<Waiting query={found} /></div>;
  const connection = found.data;
  return (
    <div className="deliveries-body">
      <header className="thing-head">
        {back}
        <h2>{connection.name}</h2>
        <Mark tone={connection.status === 'active' ? 'good' : 'bad'}>{texts.deliveries.status[connection.status]}</Mark>
        <Actions connection={connection} />
      </header>
      {connection.last_error && <p className="remark bad"><code>{connection.last_error.code}</code> {connection.last_error.message}</p>}
      {connection.credentials_delete_at && <p className="remark warning">{words.credentialsEnd(shownMoment(connection.credentials_delete_at))}</p>}
      <section>
        <SectionHead title={texts.render.details} />
        <Facts connection={connection} />
      </section>
      {connection.senders.length > 0 && (
        <section>
          <SectionHead title={words.senders} />
          <ul className="senders">
            {connection.senders.map((each) => (
              <li key={`${each.kind} ${each.email}`}>
                <Mark tone={each.verified ? 'good' : 'bad'}>{each.verified ? words.verified : words.unverified}</Mark> {each.name ? `${each.name} <${each.email}>` : each.email}
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function Facts({ connection }: { connection: Connection }) {
  const { email, name } = connection.default_from;
  return (
    <dl className="facts">
      <dt>{texts.render.id}</dt><dd><CopyText text={connection.id} /></dd>
      <dt>{texts.deliveries.provider}</dt><dd>{texts.deliveries.providers[connection.provider]}</dd>
      <dt>{words.from}</dt><dd>{name ? `${name} <${email}>` : email}</dd>
      {connection.reply_to && <><dt>{words.replyTo}</dt><dd>{connection.reply_to}</dd></>}
      <SettingFacts config={connection.config} />
      <dt>{words.testMode}</dt><dd>{words.testModes[connection.test_mode]}{connection.test_recipient && ` (${connection.test_recipient})`}</dd>
      {!connection.credentials.configured && <><dt>{texts.deliveries.credentials}</dt><dd>{texts.deliveries.noCredentials}</dd></>}
      {connection.egress_ips.length > 0 && <><dt>{words.egress}</dt><dd><ul className="chips">{connection.egress_ips.map((each) => <li key={each}><code>{each}</code></li>)}</ul></dd></>}
      <dt>{texts.deliveries.test}</dt><dd><LastTest at={connection.last_test_at} outcome={connection.last_test_status} /></dd>
      <dt>{texts.deliveries.created}</dt><dd>{shownMoment(connection.created_at)}</dd>
    </dl>
  );
}

function Actions({ connection }: { connection: Connection }) {
  const { can } = useRights();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<'edit' | 'test' | null>(null);
  const remove = async () => {
    await done(api.DELETE('/v1/email-connections/{id}', { params: { path: { id: connection.id } } }));
    await navigate({ to: '/deliveries/emails/connections' });
    await queries.invalidateQueries({ queryKey: ['email-connections'] });
  };
  return (
    <div className="actions">
      <CopyAs programs={() => programsOf({ method: 'GET', path: `/email-connections/${connection.id}` })} />
      {can('email:write') && (
        <>
          <button type="button" className="button primary" onClick={() => setDialog('test')}>{texts.deliveries.test}</button>
          <button type="button" className="button" onClick={() => setDialog('edit')}>{texts.deliveries.edit}</button>
          <Confirm label={texts.deliveries.delete} title={words.deleteConnection} lead={words.deleteConnectionLead} confirm={words.deleteConnectionConfirm} run={remove} />
        </>
      )}
      {dialog === 'edit' && <ConnectionForm connection={connection} onClose={() => setDialog(null)} />}
      {dialog === 'test' && <TestDialog connection={connection} onClose={() => setDialog(null)} />}
    </div>
  );
}

function TestDialog({ connection, onClose }: { connection: Connection; onClose: () => void }) {
  const queries = useQueryClient();
  const [sendTo, setSendTo] = useState('');
  const test = useMutation({
    mutationFn: () => dataOf(api.POST('/v1/email-connections/{id}/test', { params: { path: { id: connection.id } }, body: { send_to: sendTo.trim() || null } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['email-connections'] }),
  });
  return (
    <Dialog title={connection.name} onClose={onClose}>
      <Form save={test.isPending ? texts.deliveries.testing : words.runTest} isSaving={test.isPending} error={test.error} onSave={() => test.mutate()} onCancel={onClose}>
        <TextField label={words.sendTo} hint={words.sendToHint} pointer="/send_to" type="email" maxLength={254} value={sendTo} onChange={setSendTo} />
        {test.data && <Steps steps={test.data.steps} isOk={test.data.ok} />}
      </Form>
    </Dialog>
  );
}
