import { useEffect, useId, useState } from 'react';
import { problemOf } from '../api/problem.ts';
import { upload } from '../api/upload.ts';
import type { FormField, OpenedPdf } from '../pdf/document.ts';
import { texts } from '../texts.ts';
import { shownBytes } from '../ui/format.ts';
import { ProblemBox } from '../ui/problem-box.tsx';

type Values = Record<string, unknown>;

/** The fields of a document's form, to fill in. */
export function FormFields({ pdf, values, onChange }: { pdf: OpenedPdf; values: Values; onChange: (values: Values | undefined) => void }) {
  const [fields, setFields] = useState<FormField[] | null>(null);
  useEffect(() => {
    let isCurrent = true;
    void pdf.fields().then((found) => isCurrent && setFields(found), () => isCurrent && setFields([]));
    return () => { isCurrent = false; };
  }, [pdf]);
  if (fields === null) return null;
  if (fields.length === 0) return <p className="quiet">{texts.tools.noFields}</p>;
  const set = (name: string, value: unknown) => {
    const next = { ...values, [name]: value };
    if (value === undefined) delete next[name];
    onChange(Object.keys(next).length === 0 ? undefined : next);
  };
  return fields.map((field) => <OneField key={field.name} field={field} value={values[field.name]} onChange={(value) => set(field.name, value)} />);
}

function OneField({ field, value, onChange }: { field: FormField; value: unknown; onChange: (value: unknown) => void }) {
  const id = useId();
  return (
    <div className={value === undefined ? 'option' : 'option set'}>
      <label htmlFor={id}>{field.name}</label>
      {field.kind === 'text' && <input id={id} className="input" placeholder={field.value} value={String(value ?? '')} onChange={(event) => onChange(event.target.value || undefined)} />}
      {field.kind === 'switch' && <input id={id} type="checkbox" checked={value === true} onChange={(event) => onChange(event.target.checked)} />}
      {field.kind === 'choice' && (
        <select id={id} className="input" value={String(value ?? '')} onChange={(event) => onChange(event.target.value || undefined)}>
          <option value="">{field.value}</option>
          {field.values.map((each) => <option key={each}>{each}</option>)}
        </select>
      )}
    </div>
  );
}

type Attachment = { filename: string; upload_id: string; bytes: number };

/** Files that are put into the document. */
export function Attachments({ list, onChange }: { list: Attachment[]; onChange: (list: Attachment[]) => void }) {
  const id = useId();
  const [failure, setFailure] = useState<unknown>(null);
  const add = async (files: FileList) => {
    setFailure(null);
    try {
      const sent = await Promise.all([...files].map(async (file) => ({ filename: file.name, upload_id: (await upload(file)).id, bytes: file.size })));
      onChange([...list, ...sent]);
    } catch (error) {
      setFailure(error);
    }
  };
  return (
    <div className="option attachments">
      <label htmlFor={id}>{texts.tools.attachments}</label>
      <input id={id} type="file" multiple onChange={(event) => { if (event.target.files) void add(event.target.files); event.target.value = ''; }} />
      <ul>
        {list.map((each) => (
          <li key={each.upload_id}>
            <span className="file-name">{each.filename}</span> <span className="file-size">{shownBytes(each.bytes)}</span>
            <button type="button" className="link" aria-label={texts.tools.removeFile(each.filename)} onClick={() => onChange(list.filter((other) => other !== each))}>{texts.tools.remove}</button>
          </li>
        ))}
      </ul>
      {failure !== null && <ProblemBox problem={problemOf(failure)} />}
    </div>
  );
}
