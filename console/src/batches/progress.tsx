import { useEffect, useRef, useState } from 'react';
import { texts } from '../texts.ts';
import { shownNumber } from '../ui/format.ts';
import { type Batch, isFinal } from './queries.ts';

const PARTS = ['succeeded', 'failed', 'canceled', 'running', 'waiting'] as const;
type Counts = Record<(typeof PARTS)[number], number>;

/** The rate is that of this span. */
const SPAN_MS = 30_000;
const SHORTEST_MS = 2000;

/** How many items are in each state; `running` of the unfinished ones are known to run. */
export function countsOf(batch: Batch, running: number): Counts {
  const { succeeded, failed, canceled, pending } = batch;
  const inFlight = Math.min(running, pending);
  return { succeeded, failed, canceled, running: inFlight, waiting: pending - inFlight };
}

/** One bar of all items, by state. */
export function Bar({ counts }: { counts: Counts }) {
  return (
    <span className="bar" aria-hidden="true">
      {PARTS.map((part) => counts[part] > 0 && <i key={part} className={part} style={{ flexGrow: counts[part] }} />)}
    </span>
  );
}

/** The progress of a batch: the bar, its counts in words, the rate and the time left. */
export function Progress({ batch, running }: { batch: Batch; running: number }) {
  const counts = countsOf(batch, running);
  const pace = usePace(batch);
  return (
    <section className="progress" aria-label={texts.batch.progress}>
      <Bar counts={counts} />
      <p className="progress-words">
        <span className="progress-parts">
          {PARTS.map((part) => (counts[part] > 0 || part === 'succeeded') && (
            <span key={part} className="progress-part"><i className={`swatch ${part}`} aria-hidden="true" /><span><b>{shownNumber(counts[part])}</b> {texts.batch.parts[part]}</span></span>
          ))}
        </span>
        <span className="progress-pace">{batch.total === 0 && !isFinal(batch) ? texts.batch.counting : pace}</span>
      </p>
    </section>
  );
}

/** How fast it goes, and how long it still takes; of a batch that has ended, how long it took. */
function usePace(batch: Batch): string {
  const samples = useRef<{ at: number; done: number }[]>([]);
  const [perSecond, setPerSecond] = useState(0);
  const done = batch.succeeded + batch.failed + batch.canceled;
  useEffect(() => {
    const at = performance.now();
    const kept = samples.current.filter((sample) => at - sample.at < SPAN_MS && sample.done <= done);
    samples.current = [...kept, { at, done }];
    const first = samples.current[0];
    if (first && at - first.at >= SHORTEST_MS) setPerSecond(((done - first.done) * 1000) / (at - first.at));
  }, [batch, done]);

  if (isFinal(batch)) {
    if (batch.completed_at === null) return '';
    const ms = Date.parse(batch.completed_at) - Date.parse(batch.created_at);
    return texts.batch.took(shownSpan(ms / 1000), rateWords(done / (ms / 1000)));
  }
  if (batch.paused) return '';
  if (batch.total > 0 && batch.pending === 0) return texts.batch.combining;
  if (perSecond === 0) return '';
  return texts.batch.pace(rateWords(perSecond), shownSpan(batch.pending / perSecond));
}

function rateWords(perSecond: number): string {
  const digits = new Intl.NumberFormat(undefined, { maximumFractionDigits: perSecond < 10 ? 1 : 0 });
  return perSecond >= 1 ? texts.batch.perSecond(digits.format(perSecond)) : texts.batch.perMinute(digits.format(perSecond * 60));
}

function shownSpan(seconds: number): string {
  if (seconds < 60) return texts.batch.seconds(Math.max(1, Math.round(seconds)));
  if (seconds < 5400) return texts.batch.minutes(Math.round(seconds / 60));
  return texts.batch.hours(Math.round(seconds / 3600));
}
