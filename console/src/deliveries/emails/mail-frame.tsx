import { useEffect, useRef, useState } from 'react';
import { BASE_PATH } from '../../api/client.ts';
import { texts } from '../../texts.ts';

type Props = { html: string; scheme: 'light' | 'dark' };

/**
 * The HTML of an email as a mail program shows it. No script of it runs, nothing is loaded from
 * another host, and it has an origin of its own: its frame lies in a page with a policy for that.
 */
export function MailFrame({ html, scheme }: Props) {
  const outer = useRef<HTMLIFrameElement>(null);
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    const page = outer.current?.contentDocument;
    if (!isReady || !page) return;
    // Mails ask for the scheme of what they lie in.
    page.documentElement.style.colorScheme = scheme;
    const before = page.querySelector('iframe');
    const inner = before ?? page.createElement('iframe');
    inner.title = texts.deliveries.emails.frame;
    inner.setAttribute('sandbox', '');
    inner.srcdoc = withoutLinks(html);
    if (!before) page.body.append(inner);
  }, [html, scheme, isReady]);
  return (
    <iframe
      ref={outer} className="mail-frame" src={`${BASE_PATH}/mail`} sandbox="allow-same-origin" title={texts.deliveries.emails.frame}
      style={{ colorScheme: scheme }} onLoad={() => setReady(true)}
    />
  );
}

/** The HTML with links (`<link>`) that do nothing. Here they load nothing, but a `preconnect`, which no policy refuses, would tell a host of the reader. */
function withoutLinks(html: string): string {
  return html.replace(/<link\b/gi, '<meta data-link');
}

/** How many pictures of an email are at other hosts. */
export function remotePictures(html: string): number {
  // A parsed document would have the policy of the console, which refuses the styles of the email aloud.
  return [...html.matchAll(/<img\b[^>]*\bsrc\s*=\s*["']?\s*(?:https?:)?\/\//gi)].length;
}
