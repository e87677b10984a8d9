import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { components } from 'contract';
import { useState } from 'react';
import { api, dataOf } from '../../api/client.ts';
import { texts } from '../../texts.ts';
import { useCreateKey } from '../parts/create-key.ts';
import { Dialog } from '../parts/dialog.tsx';
import { CheckField, Form, TextField } from '../parts/form.tsx';
import { SecretOnce } from '../parts/secret-once.tsx';
import type { Endpoint } from './queries.ts';

const words = texts.deliveries.webhooks;
type EventName = components['schemas']['EventName'];
const EVENTS = Object.keys(words.events) as EventName[];

/** Create or change an endpoint; a new one shows its secret once. */
export function EndpointForm({ endpoint, onClose }: { endpoint: Endpoint | null; onClose: () => void }) {
  const queries = useQueryClient();
  const createKey = useCreateKey();
  const [url, setUrl] = useState(endpoint?.url ?? '');
  const [description, setDescription] = useState(endpoint?.description ?? '');
  const [events, setEvents] = useState<readonly EventName[]>(endpoint ? EVENTS.filter((each) => endpoint.events.includes(each)) : EVENTS);
  const [templates, setTemplates] = useState(endpoint?.template_ids.join('\n') ?? '');
  const [headers, setHeaders] = useState(Object.entries(endpoint?.headers ?? {}).map(([name, value]) => `${name}: ${value}`).join('\n'));
  const body = {
    url: url.trim(),
    description: description.trim() || null,
    events: [...events],
    template_ids: templates.split(/[\s,]+/).filter((each) => each !== ''),
    headers: headersOf(headers),
  };
  const save = useMutation({
    mutationFn: async (): Promise<string | null> => {
      if (endpoint) {
        await dataOf(api.PATCH('/v1/webhook-endpoints/{id}', { params: { path: { id: endpoint.id } }, body }));
        return null;
      }
      return (await dataOf(api.POST('/v1/webhook-endpoints', { params: { header: createKey(body) }, body }))).secret;
    },
    // The answer has a secret, which is forgotten with the form.
    gcTime: 0,
    onSuccess: async (secret) => {
      await queries.invalidateQueries({ queryKey: ['webhook-endpoints'] });
      if (secret === null) onClose();
    },
  });
  if (save.data) return <SecretOnce title={words.secretTitle} lead={words.secretLead} secret={save.data} onClose={onClose} />;
  const toggle = (name: EventName) => setEvents(EVENTS.filter((each) => (each === name ? !events.includes(each) : events.includes(each))));
  return (
    <Dialog title={endpoint ? words.editTitle : words.addTitle} isWide onClose={onClose}>
      <Form save={endpoint ? texts.deliveries.save : words.create} isSaving={save.isPending} error={save.error} onSave={() => save.mutate()} onCancel={onClose}>
        <TextField label={words.url} hint={words.urlHint} pointer="/url" type="url" placeholder="https://example.com/webhooks" isRequired maxLength={2048} value={url} onChange={setUrl} />
        <TextField label={words.description} pointer="/description" maxLength={500} value={description} onChange={setDescription} />
        <fieldset className="field">
          <legend>{words.eventsLabel}</legend>
          <p className="field-row">
            <button type="button" className="link" onClick={() => setEvents(EVENTS)}>{words.allEvents}</button>
            <button type="button" className="link" onClick={() => setEvents([])}>{words.noEvents}</button>
          </p>
          <div className="event-checks">
            {EVENTS.map((name, number) => <CheckField key={name} label={name} hint={words.events[name]} pointer={number === 0 ? '/events' : `/events/${number}`} value={events.includes(name)} onChange={() => toggle(name)} />)}
          </div>
        </fieldset>
        <TextField label={words.headers} hint={words.headersHint} pointer="/headers" rows={2} isMono placeholder="X-Team: billing" value={headers} onChange={setHeaders} />
        <TextField label={words.templates} hint={words.templatesHint} pointer="/template_ids" rows={2} isMono placeholder="tpl_…" value={templates} onChange={setTemplates} />
      </Form>
    </Dialog>
  );
}

/** Lines `name: value` as an object; the API says what is wrong with a line. */
function headersOf(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(lines.map((line) => {
    const [name = '', ...value] = line.split(':');
    return [name.trim(), value.join(':').trim()];
  }));
}
