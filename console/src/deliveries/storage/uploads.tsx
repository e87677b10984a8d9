import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { useRights } from '../../api/account.ts';
import { useKey } from '../../api/key.ts';
import { texts } from '../../texts.ts';
import { shownBytes, shownShortMoment } from '../../ui/format.ts';
import { useRowKeys } from '../../ui/row-keys.ts';
import { WithCode } from '../../ui/with-code.tsx';
import { SectionHead, Waiting } from '../parts/list.tsx';
import { Mark, type Tone } from '../parts/mark.tsx';
import { type Destination, recentUploads, type Upload } from './queries.ts';

const words = texts.deliveries.storage;
const TONES: Record<Upload['status'], Tone> = { pending: 'waiting', retrying: 'waiting', succeeded: 'good', failed: 'bad' };

/** What became of the files of the newest renders; with `only`, at one destination. */
export function Uploads({ destinations, only }: { destinations: readonly Destination[]; only?: string }) {
  const { key } = useKey();
  const { can } = useRights();
  const isAllowed = can('renders:read');
  const found = useQuery({ ...recentUploads(key ?? ''), enabled: isAllowed });
  const table = useRef<HTMLTableElement>(null);
  useRowKeys(table);
  if (!isAllowed) return null;
  const rows = (found.data ?? []).filter((each) => only === undefined || each.destination_id === only);
  return (
    <section>
      <SectionHead title={words.receipts} />
      {rows.length > 0 && (
        <table className="rows" ref={table}>
          <caption className="hidden">{words.receipts}. {texts.renders.keys}</caption>
          <thead>
            <tr>
              <th scope="col">{words.columns.status}</th>
              <th scope="col">{words.columns.path}</th>
              <th scope="col" className="figure wide-only">{words.columns.size}</th>
              <th scope="col" className="figure">{words.columns.created}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((each, number) => (
              <tr key={`${each.render} ${number}`}>
                <td><Mark tone={TONES[each.status]}>{words.receiptStatus[each.status]}</Mark></td>
                <td className="document">
                  <Link to="/renders/$id" params={{ id: each.render }} className="row-link"><code>{each.path ?? words.noPath}</code></Link>
                  <span className="row-second">
                    {only === undefined && <span>{destinations.find(({ id }) => id === each.destination_id)?.name ?? each.destination_id}</span>}
                    {each.error && <span className="row-error"><code>{each.error.code}</code> <WithCode text={each.error.message} /></span>}
                  </span>
                </td>
                <td className="figure wide-only">{shownBytes(each.bytes)}</td>
                <td className="figure"><time dateTime={each.at}>{shownShortMoment(each.at)}</time></td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {found.data && rows.length === 0 && <p className="none-line">{words.noReceipts}</p>}
      <Waiting query={found} />
    </section>
  );
}
