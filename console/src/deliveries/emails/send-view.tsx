import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useRights } from '../../api/account.ts';
import { api, dataOf } from '../../api/client.ts';
import { useKey } from '../../api/key.ts';
import { texts } from '../../texts.ts';
import { CopyAs, CopyText } from '../../ui/copy.tsx';
import { shownBytes, shownMoment, shownNumber } from '../../ui/format.ts';
import { Icon } from '../../ui/icons.tsx';
import { IdLink } from '../../ui/id-link.tsx';
import { ProblemBox } from '../../ui/problem-box.tsx';
import { programsOf } from '../../ui/programs.ts';
import { useTitle } from '../../ui/title.ts';
import { useCreateKey } from '../parts/create-key.ts';
import { Confirm } from '../parts/dialog.tsx';
import { LoadMore, SectionHead, Waiting } from '../parts/list.tsx';
import { Mark, type Tone } from '../parts/mark.tsx';
import { oneSend, reportsOf, type Send, TONES } from './queries.ts';

const words = texts.deliveries.emails;
const EVENT_TONES: Record<keyof typeof words.eventNames, Tone> = {
  delivered: 'good', deferred: 'waiting', soft_bounce: 'waiting', hard_bounce: 'bad', blocked: 'bad', spam: 'bad', invalid: 'bad',
};

/** One email: what became of it, and what the provider has reported. */
export function SendView() {
  const { send: id } = useParams({ from: '/deliveries/emails/sends/$send' });
  const { key } = useKey();
  const { can } = useRights();
  const isAllowed = can('renders:read');
  const found = useQuery({ ...oneSend(key ?? '', id), enabled: isAllowed });
  useTitle(found.data?.subject ?? words.send);
  if (!isAllowed) return <p className="pane-note">{texts.key.noScope('renders:read')}</p>;
  const back = <Link to="/deliveries/emails" search={{}} className="back"><Icon name="back" />{words.sends}</Link>;
  if (!found.data) return <div className="deliveries-body">{back}<Waiting query={found} /></div>;
  const send = found.data;
  return (
    <div className="deliveries-body">
      <header className="thing-head">
        {back}
        <h2>{send.subject ?? words.noSubject}</h2>
        {send.test && <b className="badge test">{texts.renders.test}</b>}
        <Mark tone={TONES[send.status]}>{words.status[send.status]}</Mark>
        <Actions send={send} />
      </header>
      {send.error && <Fault error={send.error} />}
      {send.skip_reason && <p className="remark">{words.skipReasons[send.skip_reason]}</p>}
      <section>
        <SectionHead title={texts.render.details} />
        <Facts send={send} />
      </section>
      <Reports send={send} />
    </div>
  );
}

function Fault({ error }: { error: NonNullable<Send['error']> }) {
  const place = error.field === null ? '' : ` (${words.place(error.field, error.line)})`;
  const codes = [error.provider_status, error.provider_code].filter((each) => each !== null).join(' ');
  return <ProblemBox problem={{ title: words.notSent, detail: `${error.message}${place}`, code: error.code as never }}>{codes && <code>{codes}</code>}</ProblemBox>;
}

function Actions({ send }: { send: Send }) {
  const { can } = useRights();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const createKey = useCreateKey();
  const resend = async () => {
    const params = { path: { id: send.id }, header: createKey(send.id) };
    const made = await dataOf(api.POST('/v1/email-sends/{id}/resend', { params }));
    await queries.invalidateQueries({ queryKey: ['email-sends'] });
    await navigate({ to: '/deliveries/emails/sends/$send', params: { send: made.id } });
  };
  return (
    <div className="actions">
      <CopyAs programs={() => programsOf({ method: 'GET', path: `/email-sends/${send.id}` })} />
      {can('render:write') && TONES[send.status] !== 'waiting' && (
        <Confirm label={words.resend} title={words.resendTitle} lead={words.resendLead} confirm={words.resend} isDanger={false} run={resend} />
      )}
    </div>
  );
}

function Facts({ send }: { send: Send }) {
  const counts = (Object.keys(words.deliveryCounts) as (keyof typeof words.deliveryCounts)[]).filter((each) => send.delivery[each] > 0);
  const copies = words.copies(send.cc_count, send.bcc_count);
  return (
    <dl className="facts">
      <dt>{texts.render.id}</dt><dd><CopyText text={send.id} /></dd>
      <dt>{words.to}</dt><dd>{send.to.map(({ email, name }) => (name ? `${name} <${email}>` : email)).join(', ') || words.nobody}{copies && `, ${copies}`}</dd>
      <dt>{words.mode}</dt><dd>{words.modes[send.mode]}</dd>
      <dt>{words.render}</dt><dd><IdLink id={send.render_id} /></dd>
      {send.batch_id && <><dt>{words.batch}</dt><dd><IdLink id={send.batch_id} /></dd></>}
      <dt>{words.rule}</dt><dd><IdLink id={send.rule_id} /></dd>
      <dt>{words.connection}</dt><dd><Link to="/deliveries/emails/connections/$connection" params={{ connection: send.connection_id }}>{texts.deliveries.providers[send.provider]}</Link></dd>
      {send.provider_message_id && <><dt>{words.messageId}</dt><dd><CopyText text={send.provider_message_id} /></dd></>}
      <dt>{words.attempts}</dt><dd>{shownNumber(send.attempts)}</dd>
      {send.attachments.length > 0 && (
        <>
          <dt>{words.attachments}</dt>
          <dd><ul className="chips">{send.attachments.map((each) => <li key={each.file_id}>{each.filename}, {shownBytes(each.bytes)}, {words.attachmentModes[each.mode]}</li>)}</ul></dd>
        </>
      )}
      {counts.length > 0 && <><dt>{words.delivery}</dt><dd>{counts.map((each) => `${words.deliveryCounts[each]} ${send.delivery[each]}`).join(', ')}</dd></>}
      {send.resend_of && <><dt>{words.resendOf}</dt><dd><Link to="/deliveries/emails/sends/$send" params={{ send: send.resend_of }}><code>{send.resend_of}</code></Link></dd></>}
      <dt>{texts.deliveries.created}</dt><dd>{shownMoment(send.created_at)}</dd>
      {send.sent_at && <><dt>{words.sentAt}</dt><dd>{shownMoment(send.sent_at)}</dd></>}
    </dl>
  );
}

function Reports({ send }: { send: Send }) {
  const { key } = useKey();
  const reports = useInfiniteQuery(reportsOf(key ?? '', send.id));
  const rows = reports.data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <section>
      <SectionHead title={words.events} />
      {rows.length > 0 && (
        <ol className="timeline reports">
          {rows.map((each, number) => (
            <li key={`${number} ${each.occurred_at}`} className={EVENT_TONES[each.event]}>
              <span className="moment-title">{words.eventNames[each.event]}: {each.recipient}</span>
              <time dateTime={each.occurred_at}>{shownMoment(each.occurred_at)}</time>
              {each.reason && <span className="moment-text">{each.reason}</span>}
            </li>
          ))}
        </ol>
      )}
      {reports.data && rows.length === 0 && <p className="none-line">{words.noEvents}</p>}
      <Waiting query={reports} />
      <LoadMore query={reports} />
    </section>
  );
}
