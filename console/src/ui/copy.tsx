import * as Menu from '@radix-ui/react-dropdown-menu';
import { useEffect, useState } from 'react';
import { texts } from '../texts.ts';
import { Icon } from './icons.tsx';

/** Copy a text, and tell for a moment that it is done. */
export function useCopy(): [boolean, (text: string) => void] {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return [isCopied, (text) => void navigator.clipboard.writeText(text).then(() => setCopied(true))];
}

/** An id, or another short text, that one click copies. */
export function CopyText({ text, shown }: { text: string; shown?: string }) {
  const [isCopied, copy] = useCopy();
  return (
    <button type="button" className="copy-text" onClick={() => copy(text)} title={text}>
      <code>{shown ?? text}</code>
      <span className="copy-word">{isCopied ? texts.copy.copied : texts.copy.copy}</span>
    </button>
  );
}

/** A menu of programs that make the same request. */
export function CopyAs({ programs }: { programs: () => Record<'curl' | 'python' | 'typescript', string> }) {
  const [isCopied, copy] = useCopy();
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className="button">
        {isCopied ? texts.copy.copied : texts.copy.as}
        <Icon name="down" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Content className="menu" align="end" sideOffset={4}>
          {(['curl', 'python', 'typescript'] as const).map((name) => (
            <Menu.Item key={name} className="menu-item" onSelect={() => copy(programs()[name])}>
              {texts.copy[name]}
            </Menu.Item>
          ))}
        </Menu.Content>
      </Menu.Portal>
    </Menu.Root>
  );
}
