import { texts } from '../../texts.ts';
import { WithCode } from '../../ui/with-code.tsx';
import { Mark } from './mark.tsx';

type Step = { name: string; ok: boolean; detail: string | null };

/** The steps of a test, which end at the first that failed. */
export function Steps({ steps, isOk }: { steps: readonly Step[]; isOk: boolean }) {
  return (
    <section className="block" aria-live="polite">
      <h3>{isOk ? texts.deliveries.testPassed : texts.deliveries.testFailed}</h3>
      <ol className="steps">
        {steps.map((step) => (
          <li key={step.name}>
            <Mark tone={step.ok ? 'good' : 'bad'}>{texts.deliveries.steps[step.name as keyof typeof texts.deliveries.steps] ?? step.name}</Mark>
            {step.detail && <p><WithCode text={step.detail} /></p>}
          </li>
        ))}
      </ol>
    </section>
  );
}
