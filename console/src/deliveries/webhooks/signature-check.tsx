import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useRights } from '../../api/account.ts';
import { api, dataOf } from '../../api/client.ts';
import { texts } from '../../texts.ts';
import { Mark } from '../parts/mark.tsx';
import { Refused } from '../parts/outcome.tsx';
import { type Verdict, verify } from './verify.ts';

const words = texts.deliveries.webhooks.signature;

type Props = { headers: Record<string, string>; body: string; isOfRequest: boolean };

/** Check the signature in the browser. The secret is in this field alone: it is sent nowhere, and kept nowhere. */
export function SignatureCheck({ headers, body, isOfRequest }: Props) {
  const { can } = useRights();
  const [secret, setSecret] = useState('');
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const own = useMutation({
    mutationFn: () => dataOf(api.GET('/v1/webhook-endpoints/default-secret')),
    gcTime: 0,
    onSuccess: (answer) => setSecret(answer.secret),
  });
  useEffect(() => {
    let isCurrent = true;
    setVerdict(null);
    if (secret.trim() !== '') void verify(secret, headers, body).then((found) => isCurrent && setVerdict(found));
    return () => { isCurrent = false; };
  }, [secret, headers, body]);
  return (
    <section className="signature block">
      <h3>{words.title}</h3>
      <p className="quiet">{words.lead}</p>
      <div className="secret">
        <input className="input mono" type="password" autoComplete="off" spellCheck={false} placeholder="whsec_…" aria-label={words.label} value={secret} onChange={(event) => setSecret(event.target.value)} />
        {isOfRequest && can('webhooks:write') && <button type="button" className="button" disabled={own.isPending} onClick={() => own.mutate()}>{words.useDefault}</button>}
      </div>
      <p role="status">{verdict && <Mark tone={verdict === 'genuine' ? 'good' : 'bad'}>{words.verdicts[verdict]}</Mark>}</p>
      <Refused errors={[own.error]} />
    </section>
  );
}
