import { useMutation } from '@tanstack/react-query';
import type { components } from 'contract';
import { type FormEvent, useState } from 'react';
import { api, dataOf } from '../../api/client.ts';
import { texts } from '../../texts.ts';
import { CopyAs, useCopy } from '../../ui/copy.tsx';
import { Icon } from '../../ui/icons.tsx';
import { programsOf } from '../../ui/programs.ts';
import { ChoiceField, TextField } from '../parts/form.tsx';
import { Refused } from '../parts/outcome.tsx';
import { momentOf } from './moments.ts';
import type { SignedLink } from './queries.ts';

const words = texts.deliveries.links;
type Format = NonNullable<components['schemas']['SignedUrlRequest']['format']>;
const FORMATS: readonly Format[] = ['pdf', 'png', 'jpeg', 'webp'];
const ENDS = ['3600', '86400', '604800', 'date'] as const;

type Param = { id: number; name: string; value: string };

/** A URL of a link: the data of the template, the format, the end, and the signature of the API. */
export function UrlBuilder({ link }: { link: SignedLink }) {
  const [name, setName] = useState('');
  const [format, setFormat] = useState<Format>('pdf');
  const [params, setParams] = useState<readonly Param[]>([{ id: 0, name: '', value: '' }]);
  const [ends, setEnds] = useState<(typeof ENDS)[number]>('604800');
  const [endsAt, setEndsAt] = useState('');
  const [isCopied, copy] = useCopy();
  const given = params.filter((each) => each.name.trim() !== '');
  const body = {
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    format,
    params: Object.fromEntries(given.map((each) => [each.name.trim(), each.value])),
    ...(ends === 'date' ? { expires_at: momentOf(endsAt) } : { expires_in: Number(ends) }),
  };
  const asked = JSON.stringify(body);
  const sign = useMutation({
    mutationFn: async (wanted: string) => {
      const { url } = await dataOf(api.POST('/v1/signed-links/{id}/sign', { params: { path: { id: link.id } }, body: JSON.parse(wanted) as typeof body }));
      return { url, wanted };
    },
  });
  // A URL of earlier fields is not the one that is asked for.
  const url = sign.data?.wanted === asked ? sign.data.url : null;
  const change = (id: number, next: Partial<Param>) => setParams(params.map((each) => (each.id === id ? { ...each, ...next } : each)));
  const add = () => setParams([...params, { id: Math.max(-1, ...params.map(({ id }) => id)) + 1, name: '', value: '' }]);
  const submit = (event: FormEvent) => { event.preventDefault(); sign.mutate(asked); };
  return (
    <div className="builder">
      <form className="fields" onSubmit={submit}>
        <div className="field-pair">
          <TextField label={words.file} pointer="/name" placeholder="document" maxLength={200} value={name} onChange={setName} />
          <ChoiceField label={words.format} pointer="/format" value={format} values={FORMATS.map((value) => ({ value, label: value }))} onChange={setFormat} />
        </div>
        <fieldset className="field">
          <legend>{words.params}</legend>
          <p className="field-hint">{words.paramHint.split('`')[0]}<code>{words.paramHint.split('`')[1]}</code>.</p>
          <div className="params">
            {params.map((each) => (
              <div key={each.id} className="param">
                <input className="input mono" aria-label={words.paramName} placeholder="customer.name" value={each.name} spellCheck={false} onChange={(event) => change(each.id, { name: event.target.value })} />
                <input className="input" aria-label={words.paramValue} placeholder="Ada" value={each.value} onChange={(event) => change(each.id, { value: event.target.value })} />
                <button type="button" className="button quiet-button" aria-label={words.removeParam(each.name)} onClick={() => setParams(params.filter(({ id }) => id !== each.id))}><Icon name="close" /></button>
              </div>
            ))}
          </div>
          <button type="button" className="link" onClick={add}>{words.addParam}</button>
        </fieldset>
        <div className="field-pair">
          <ChoiceField label={words.ends} pointer="/expires_in" value={ends} values={ENDS.map((value) => ({ value, label: words.endsIn[value] }))} onChange={setEnds} />
          {ends === 'date' && <TextField label={words.endsAt} pointer="/expires_at" type="datetime-local" isRequired value={endsAt} onChange={setEndsAt} />}
        </div>
        <button type="submit" className="button primary" disabled={sign.isPending}>{words.sign}</button>
      </form>
      <div className="built">
        <h3>{words.url}</h3>
        <p className="quiet">{words.builderLead}</p>
        <output>{url}</output>
        {url && (
          <p className="field-row">
            <button type="button" className="button" onClick={() => copy(url)}>{isCopied ? texts.copy.copied : texts.copy.copy}</button>
            <a className="button" href={url} target="_blank" rel="noreferrer">{words.open}</a>
          </p>
        )}
        <Refused errors={[sign.error]} />
        <p className="field-row"><CopyAs programs={() => programsOf({ method: 'POST', path: `/signed-links/${link.id}/sign`, body })} /></p>
      </div>
    </div>
  );
}
