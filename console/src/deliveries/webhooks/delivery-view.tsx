import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useRights } from '../../api/account.ts';
import { api, dataOf } from '../../api/client.ts';
import { useKey } from '../../api/key.ts';
import { texts } from '../../texts.ts';
import { CopyAs, CopyText, useCopy } from '../../ui/copy.tsx';
import { shownMoment, shownMs } from '../../ui/format.ts';
import { Icon } from '../../ui/icons.tsx';
import { programsOf } from '../../ui/programs.ts';
import { useTitle } from '../../ui/title.ts';
import { SectionHead, Waiting } from '../parts/list.tsx';
import { Mark } from '../parts/mark.tsx';
import { Refused } from '../parts/outcome.tsx';
import { type DeliveryDetail, isOpen, OF_REQUESTS, oneDelivery } from './queries.ts';
import { SignatureCheck } from './signature-check.tsx';
import { TONES } from './words.ts';

const words = texts.deliveries.webhooks;
type Attempt = DeliveryDetail['attempts'][number];

/** One delivery: the request at the left, the answer of each attempt at the right. */
export function DeliveryView() {
  const { endpoint, delivery: id } = useParams({ from: '/deliveries/webhooks/$endpoint/$delivery' });
  const { key } = useKey();
  const { can } = useRights();
  const isAllowed = can('webhooks:read');
  const found = useQuery({ ...oneDelivery(key ?? '', id), enabled: isAllowed });
  useTitle(found.data?.delivery.event_type ?? id);
  if (!isAllowed) return <p className="pane-note">{texts.key.noScope('webhooks:read')}</p>;
  const back = endpoint === OF_REQUESTS
    ? <Link to="/deliveries/webhooks" search={{}} className="back"><Icon name="back" />{words.title}</Link>
    : <Link to="/deliveries/webhooks/$endpoint" params={{ endpoint }} search={{}} className="back"><Icon name="back" />{words.endpoint}</Link>;
  if (!found.data) return <div className="deliveries-body">{back}<Waiting query={found} /></div>;
  const { delivery, body } = found.data;
  return (
    <div className="deliveries-body">
      <header className="thing-head">
        {back}
        <h2>{delivery.event_type}</h2>
        <Mark tone={TONES[delivery.status]}>{words.status[delivery.status]}</Mark>
        <Actions delivery={delivery} />
      </header>
      <p className="fact-line">
        <CopyText text={delivery.id} />
        <CopyText text={delivery.event_id} />
        {delivery.next_attempt_at && <span>{words.nextAt(shownMoment(delivery.next_attempt_at))}</span>}
      </p>
      <div className="side-by-side">
        <Request delivery={delivery} body={body} />
        <Answers delivery={delivery} />
      </div>
    </div>
  );
}

function Actions({ delivery }: { delivery: DeliveryDetail }) {
  const { can } = useRights();
  const queries = useQueryClient();
  const replay = useMutation({
    mutationFn: () => dataOf(api.POST('/v1/webhook-deliveries/{id}/replay', { params: { path: { id: delivery.id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['webhook-deliveries'] }),
  });
  return (
    <div className="actions">
      <CopyAs programs={() => programsOf({ method: 'GET', path: `/webhook-deliveries/${delivery.id}` })} />
      {can('webhooks:write') && (
        <button type="button" className="button primary" disabled={replay.isPending || delivery.status === 'pending'} onClick={() => replay.mutate()}>{words.replay}</button>
      )}
      <Refused errors={[replay.error]} />
    </div>
  );
}

function Request({ delivery, body }: { delivery: DeliveryDetail; body: string | null }) {
  const [isCopied, copy] = useCopy();
  const { request } = delivery;
  if (!request || body === null) {
    return <section className="side"><h3>{words.request}</h3><p className="quiet">{delivery.attempts.length === 0 ? words.notSent : words.hiddenRequest}</p></section>;
  }
  return (
    <section className="side">
      <h3>{words.request}</h3>
      <p className="request-line"><b>POST</b> <code>{request.url}</code></p>
      <table className="plain headers">
        <caption className="hidden">{words.headersSent}</caption>
        <tbody>{Object.entries(request.headers).map(([name, value]) => <tr key={name}><th scope="row"><code>{name}</code></th><td><code>{value}</code></td></tr>)}</tbody>
      </table>
      <SignatureCheck key={delivery.id} headers={request.headers} body={body} isOfRequest={delivery.endpoint_id === null} />
      <SectionHead title={words.body}>
        <button type="button" className="button" onClick={() => copy(body)}>{isCopied ? texts.copy.copied : words.copyBody}</button>
      </SectionHead>
      <div className="code-block">
        <pre tabIndex={0} aria-label={words.body}>{JSON.stringify(request.body, null, 2)}</pre>
      </div>
    </section>
  );
}

function Answers({ delivery }: { delivery: DeliveryDetail }) {
  const search = useSearch({ from: '/deliveries/webhooks/$endpoint/$delivery' });
  const navigate = useNavigate({ from: '/deliveries/webhooks/$endpoint/$delivery' });
  const { attempts } = delivery;
  const chosen = attempts.find((each) => each.number === search.attempt) ?? attempts.at(-1);
  return (
    <section className="side">
      <h3>{words.attempts(attempts.length)}</h3>
      {!chosen && <p className="quiet">{isOpen(delivery) ? words.waiting : words.neverSent}</p>}
      {attempts.length > 1 && (
        <div className="attempts" role="group" aria-label={words.attempts(attempts.length)}>
          {attempts.map((attempt) => (
            <button key={attempt.number} type="button" aria-pressed={attempt === chosen} onClick={() => void navigate({ search: { attempt: attempt.number }, replace: true })}>
              <span>{attempt.number}</span>
              <Mark tone={isTaken(attempt) ? 'good' : 'bad'}>{attempt.status_code ?? words.noAnswer}</Mark>
            </button>
          ))}
        </div>
      )}
      {chosen && (
        <>
          <p className="request-line">
            <Mark tone={isTaken(chosen) ? 'good' : 'bad'}>{chosen.status_code === null ? words.noAnswer : words.answered(chosen.status_code)}</Mark>
            <span>{words.after(shownMs(chosen.latency_ms))}</span>
            <time dateTime={chosen.at}>{shownMoment(chosen.at)}</time>
          </p>
          {chosen.error && <p className="remark bad">{chosen.error}</p>}
          {chosen.response_excerpt !== null && (
            <div className="code-block">
              {chosen.response_excerpt === '' ? <p className="quiet">{words.emptyAnswer}</p> : <pre tabIndex={0} aria-label={words.answer}>{chosen.response_excerpt}</pre>}
              {chosen.response_excerpt.length >= EXCERPT && <p className="quiet">{words.excerpt}</p>}
            </div>
          )}
          {attempts.length > 1 && <p className="quiet">{words.lastRequest}</p>}
        </>
      )}
    </section>
  );
}

/** Characters of an answer that the service keeps. */
const EXCERPT = 1000;

function isTaken({ status_code: status }: Attempt): boolean {
  return status !== null && status >= 200 && status < 300;
}
