import type { ReactNode } from 'react';
import { texts } from '../texts.ts';
import { shownMoment, shownMs, shownSince } from '../ui/format.ts';
import { IdLink } from '../ui/id-link.tsx';
import type { Render, RenderLog, WebhookDelivery } from './queries.ts';

type Moment = { key: string; at: string | null; level: 'plain' | 'good' | 'bad' | 'waiting'; title: string; text?: ReactNode };

/** What became of a render, in order, each with the time since it was accepted. */
export function Story({ render, log, webhooks }: { render: Render; log: RenderLog | undefined; webhooks: WebhookDelivery[] }) {
  const moments = momentsOf(render, log, webhooks);
  return (
    <section className="block">
      <h2>{texts.render.story}</h2>
      <ol className="timeline">
        {moments.map(({ key, at, level, title, text }) => (
          <li key={key} className={level}>
            <span className="moment-title">{title}</span>
            {at && <time dateTime={at} title={shownMoment(at)}>{at === render.created_at ? shownMoment(at) : shownSince(render.created_at, at)}</time>}
            {text && <span className="moment-text">{text}</span>}
          </li>
        ))}
      </ol>
    </section>
  );
}

function momentsOf(render: Render, log: RenderLog | undefined, webhooks: WebhookDelivery[]): Moment[] {
  const { attempts = [], events = [] } = log ?? {};
  const timed: Moment[] = [
    { key: 'accepted', at: render.created_at, level: 'plain', title: texts.render.accepted, text: texts.render.acceptedBy[render.source] },
    ...(render.started_at && attempts.length < 2
      ? [{ key: 'started', at: render.started_at, level: 'plain' as const, title: texts.render.started, text: render.timings.queue_ms == null ? undefined : texts.render.waited(shownMs(render.timings.queue_ms)) }]
      : []),
    ...(attempts.length < 2 ? [] : attempts.map((each): Moment => ({
      key: `attempt ${each.number}`, at: each.started_at, title: texts.render.attempt(each.number), text: texts.render.outcome[each.outcome],
      level: each.outcome === 'failed' || each.outcome === 'lost' ? 'bad' : 'plain',
    }))),
    ...(render.completed_at ? [{ key: 'end', at: render.completed_at, ...ending(render) }] : []),
    ...events.map((event): Moment => ({ key: event.id, at: event.created_at, level: 'plain', title: texts.render.event, text: <code>{event.type}</code> })),
    ...webhooks.flatMap((delivery) => delivery.attempts.map((attempt): Moment => ({
      key: `${delivery.id} ${attempt.number}`, at: attempt.at, title: texts.render.webhook, level: isTaken(attempt) ? 'good' : 'bad',
      text: <><code>{delivery.event_type}</code> {attempt.error ?? texts.render.answered(attempt.status_code ?? 0, shownMs(attempt.latency_ms))}</>,
    }))),
  ];
  timed.sort((one, other) => (one.at ?? '').localeCompare(other.at ?? ''));
  return [
    ...timed,
    ...webhooks.filter((each) => each.next_attempt_at).map((each): Moment => ({
      key: `${each.id} next`, at: null, title: texts.render.webhookNext, level: 'waiting', text: <><code>{each.event_type}</code> {shownMoment(each.next_attempt_at ?? '')}</>,
    })),
    ...render.storage.map((each, number): Moment => ({
      key: `storage ${number}`, at: null, title: texts.render.uploaded, level: each.status === 'failed' ? 'bad' : each.status === 'succeeded' ? 'good' : 'waiting',
      text: <><IdLink id={each.destination_id} /> {each.status} {each.path} {each.error?.message}</>,
    })),
    ...(render.email ?? []).map((each): Moment => ({
      key: each.id, at: each.sent_at, title: texts.render.emailed, level: each.error ? 'bad' : each.sent_at ? 'good' : 'waiting',
      text: <>{each.status} {each.to.join(', ')} {each.error?.message}</>,
    })),
    ...(render.files_purged_at
      ? [{ key: 'purged', at: render.files_purged_at, level: 'plain' as const, title: texts.render.purged }]
      : render.expires_at && render.files.length > 0 ? [{ key: 'expire', at: null, level: 'plain' as const, title: texts.render.expire, text: shownMoment(render.expires_at) }] : []),
  ];
}

function isTaken({ status_code }: WebhookDelivery['attempts'][number]): boolean {
  return status_code !== null && status_code >= 200 && status_code < 300;
}

function ending(render: Render): Pick<Moment, 'level' | 'title' | 'text'> {
  if (render.status === 'failed') return { level: 'bad', title: texts.render.failed, text: <code>{render.error?.code}</code> };
  if (render.status === 'canceled') return { level: 'plain', title: texts.render.canceled };
  return { level: 'good', title: texts.render.succeeded };
}
