import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf } from '../../api/client.ts';
import { ProblemError } from '../../api/problem.ts';
import { texts } from '../../texts.ts';
import { useCreateKey } from '../parts/create-key.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Form, TextField } from '../parts/form.tsx';
import { SecretOnce } from '../parts/secret-once.tsx';
import { TemplateField } from '../parts/templates.tsx';
import { localMoment, momentOf } from './moments.ts';
import type { SignedLink } from './queries.ts';

const words = texts.deliveries.links;

/** Create or change a link; a new one shows its secret once. */
export function LinkForm({ link, onClose }: { link: SignedLink | null; onClose: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const createKey = useCreateKey();
  const [name, setName] = useState(link?.name ?? '');
  const [template, setTemplate] = useState(link?.template_id ?? '');
  const [version, setVersion] = useState(String(link?.version ?? 'live'));
  const [expires, setExpires] = useState(link?.expires_at ? localMoment(link.expires_at) : '');
  const [quota, setQuota] = useState(link?.quota_total == null ? '' : String(link.quota_total));
  const [referrers, setReferrers] = useState(link?.allowed_referrers.join('\n') ?? '');
  const [output, setOutput] = useState(link && Object.keys(link.output).length > 0 ? JSON.stringify(link.output, null, 2) : '');
  const bodyOf = () => ({
    name: name.trim(),
    version: (/^\d+$/.test(version.trim()) ? Number(version) : version.trim()) as SignedLink['version'],
    expires_at: momentOf(expires),
    quota_total: quota === '' ? null : Number(quota),
    allowed_referrers: referrers.split(/[\s,]+/).filter((each) => each !== ''),
    output: outputOf(output),
  });
  const save = useMutation({
    mutationFn: async (): Promise<{ id: string; secret: string } | null> => {
      if (link) {
        await dataOf(api.PATCH('/v1/signed-links/{id}', { params: { path: { id: link.id } }, body: bodyOf() }));
        return null;
      }
      const body = { ...bodyOf(), template_id: template.trim() };
      return dataOf(api.POST('/v1/signed-links', { params: { header: createKey(body) }, body }));
    },
    gcTime: 0,
    onSuccess: async (made) => {
      await queries.invalidateQueries({ queryKey: ['signed-links'] });
      if (made === null) onClose();
    },
  });
  if (save.data) {
    const { id, secret } = save.data;
    const close = () => { onClose(); void navigate({ to: '/deliveries/links/$link', params: { link: id } }); };
    return <SecretOnce title={words.secretTitle} lead={words.secretLead} secret={secret} onClose={close} />;
  }
  return (
    <Dialog title={link ? words.editTitle : words.addTitle} isWide onClose={onClose}>
      <Form save={link ? texts.deliveries.save : words.create} isSaving={save.isPending} error={save.error} onSave={() => save.mutate()} onCancel={onClose}>
        <TextField label={texts.deliveries.name} pointer="/name" isRequired maxLength={255} value={name} onChange={setName} />
        {!link && <TemplateField value={template} onChange={setTemplate} />}
        <div className="field-pair">
          <TextField label={words.version} hint={words.versionHint} pointer="/version" isRequired value={version} onChange={setVersion} />
          <TextField label={words.quota} hint={words.quotaHint} pointer="/quota_total" type="number" min={1} value={quota} onChange={setQuota} />
        </div>
        <TextField label={words.expires} hint={words.expiresHint} pointer="/expires_at" type="datetime-local" value={expires} onChange={setExpires} />
        <TextField label={words.referrers} hint={words.referrersHint} pointer="/allowed_referrers" rows={2} isMono value={referrers} onChange={setReferrers} />
        <TextField label={words.output} hint={words.outputHint} pointer="/output" rows={3} isMono value={output} onChange={setOutput} />
      </Form>
    </Dialog>
  );
}

function outputOf(text: string): Record<string, never> | null {
  if (text.trim() === '') return null;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, never>;
  } catch {
    // Said below, as for JSON of another kind.
  }
  throw new ProblemError({ title: words.outputNotJson, detail: words.outputHint, errors: [{ path: '/output', code: 'invalid', message: words.outputNotJson }] });
}
