import { texts } from '../../texts.ts';
import { shownShortMoment } from '../../ui/format.ts';

/** When something was tested, and how that ended. */
export function LastTest({ at, outcome }: { at: string | null; outcome: 'succeeded' | 'failed' | null }) {
  if (at === null || outcome === null) return texts.deliveries.neverTested;
  return <>{texts.deliveries.lastTest} {texts.deliveries.testOutcomes[outcome]}, <time dateTime={at}>{shownShortMoment(at)}</time></>;
}
