import { createContext, useContext } from 'react';
import type { ChangeInvoice } from './draft.ts';
import type { JsonObject } from './invoice-field.ts';
import type { Fault } from './preflight.ts';

/** What the fields of the form share. */
type Form = {
  invoice: JsonObject;
  onChange: ChangeInvoice;
  /** What is wrong at a path. What is missing is shown only where somebody has been, or when a file was asked for. */
  faultAt: (path: string) => Fault | null;
  onVisit: (path: string) => void;
};

export const FormContext = createContext<Form | null>(null);

export function useForm(): Form {
  const form = useContext(FormContext);
  if (form === null) throw new Error('a field stands in a form');
  return form;
}

export function idOf(path: string): string {
  return `invoice-${path}`;
}

/** Go to the field of a path, or to the group that it is in. */
export function goToField(path: string): void {
  const places: string[] = [];
  for (let place = path; place !== ''; place = place.slice(0, Math.max(place.lastIndexOf('.'), place.lastIndexOf('['), 0))) places.push(place);
  for (const place of [...places, `section.${path.split(/[.[]/)[0]}`]) {
    const target = document.getElementById(idOf(place));
    if (!target) continue;
    target.scrollIntoView({ block: 'center' });
    const input = target.matches('input, select, textarea') ? target : target.querySelector<HTMLElement>('input, select, textarea, button');
    input?.focus({ preventScroll: true });
    return;
  }
}
