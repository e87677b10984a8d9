import { createContext, type FormEvent, type ReactNode, useContext, useId, useRef } from 'react';
import { type Problem, problemOf } from '../../api/problem.ts';
import { texts } from '../../texts.ts';
import { ProblemBox } from '../../ui/problem-box.tsx';
import { WithCode } from '../../ui/with-code.tsx';

/** By JSON pointer: what the API says about a field of the request. */
const Faults = createContext<ReadonlyMap<string, string>>(new Map());

type FormProps = {
  save: string;
  isSaving: boolean;
  /** The fields are shown, and none can be changed. */
  isReadOnly?: boolean;
  error: unknown;
  onSave: () => void;
  onCancel: () => void;
  children: ReactNode;
};

/** A form whose faults stand at their fields and, as links to them, at its foot. */
export function Form({ save, isSaving, isReadOnly = false, error, onSave, onCancel, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  // Two clicks come before the button is drawn as disabled.
  const isSent = useRef(false);
  const problem: Problem | null = error ? problemOf(error) : null;
  const faults = new Map(problem?.errors?.map((each) => [each.path, each.message]));
  if (!isSaving) isSent.current = false;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isSent.current || isSaving) return;
    isSent.current = true;
    onSave();
  };
  const goTo = (place: { pointer: string } | { line: number }) => {
    if (!('pointer' in place)) return;
    // A member of a field that is one text, such as a header, leads to that field.
    for (let at = place.pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
      const field = form.current?.querySelector<HTMLElement>(`[data-pointer="${CSS.escape(at)}"]`);
      if (field) return field.focus();
    }
  };
  return (
    <Faults.Provider value={faults}>
      <form ref={form} className="fields" onSubmit={submit}>
        <fieldset className="fields" disabled={isReadOnly}>{children}</fieldset>
        {problem && <ProblemBox problem={problem} onPlace={goTo} />}
        {!isReadOnly && (
          <p className="dialog-foot">
            <button type="button" className="button" onClick={onCancel}>{texts.deliveries.cancel}</button>
            <button type="submit" className="button primary" disabled={isSaving}>{save}</button>
          </p>
        )}
      </form>
    </Faults.Provider>
  );
}

type FieldProps = { label: string; hint?: string | undefined; pointer: string };
type Shared = { id: string; 'data-pointer': string; 'aria-describedby'?: string; 'aria-invalid': boolean };

function Field({ label, hint, pointer, children }: FieldProps & { children: (shared: Shared) => ReactNode }) {
  const id = useId();
  const faults = useContext(Faults);
  const fault = faults.get(pointer) ?? [...faults].find(([path]) => path.startsWith(`${pointer}/`))?.[1];
  const isDescribed = hint !== undefined || fault !== undefined;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'data-pointer': pointer, 'aria-invalid': fault !== undefined, ...(isDescribed ? { 'aria-describedby': `${id}-hint` } : {}) })}
      {isDescribed && (
        <p id={`${id}-hint`} className={fault ? 'field-fault' : 'field-hint'}><WithCode text={fault ?? hint ?? ''} /></p>
      )}
    </div>
  );
}

type TextProps = FieldProps & {
  value: string;
  onChange: (value: string) => void;
  type?: 'text' | 'url' | 'email' | 'number' | 'datetime-local';
  placeholder?: string | undefined;
  isRequired?: boolean;
  isMono?: boolean;
  /** The characters are hidden, and no browser offers to keep them. */
  isSecret?: boolean;
  /** More than one line. */
  rows?: number;
  maxLength?: number | undefined;
  min?: number | string | undefined;
  max?: number | string | undefined;
};

export function TextField({ value, onChange, type = 'text', isRequired = false, isMono = false, isSecret = false, rows, ...rest }: TextProps) {
  const { label, hint, pointer, ...own } = rest;
  const className = isMono || isSecret ? 'input mono' : 'input';
  return (
    <Field label={label} hint={hint} pointer={pointer}>
      {(shared) => rows === undefined ? (
        <input
          {...shared} {...own} className={className} type={isSecret ? 'password' : type} required={isRequired} spellCheck={false}
          autoComplete={isSecret ? 'new-password' : 'off'} value={value} onChange={(event) => onChange(event.target.value)}
        />
      ) : (
        <textarea
          {...shared} className={className} rows={rows} required={isRequired} spellCheck={false} autoComplete="off"
          placeholder={own.placeholder} maxLength={own.maxLength} value={value} onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

type ChoiceProps<Value> = FieldProps & { value: Value; values: readonly { value: Value; label: string }[]; onChange: (value: Value) => void; isDisabled?: boolean };

export function ChoiceField<Value extends string>({ value, values, onChange, isDisabled = false, ...field }: ChoiceProps<Value>) {
  return (
    <Field {...field}>
      {(shared) => (
        <select {...shared} className="input" value={value} disabled={isDisabled} onChange={(event) => onChange(event.target.value as Value)}>
          {values.map((each) => <option key={each.value} value={each.value}>{each.label}</option>)}
        </select>
      )}
    </Field>
  );
}

export function CheckField({ label, hint, pointer, value, onChange }: FieldProps & { value: boolean; onChange: (value: boolean) => void }) {
  const id = useId();
  return (
    <div className="field">
      <label className="check" htmlFor={id}>
        <input id={id} type="checkbox" data-pointer={pointer} checked={value} aria-describedby={hint ? `${id}-hint` : undefined} onChange={(event) => onChange(event.target.checked)} />
        <span>{label}</span>
      </label>
      {hint && <p id={`${id}-hint`} className="field-hint"><WithCode text={hint} /></p>}
    </div>
  );
}
