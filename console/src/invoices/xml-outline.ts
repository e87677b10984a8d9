/** An element of a text in XML: its name without prefix, and its place in the text. */
export type XmlNode = {
  name: string;
  from: number;
  to: number;
  /** Where the name in its start tag ends. */
  nameTo: number;
  /** Text of an element without elements; empty for the others. */
  text: string;
  attributes: Record<string, string>;
  children: XmlNode[];
  parent: XmlNode | null;
};

const MAX_DEPTH = 200;
const MAX_ELEMENTS = 200_000;
const MAX_LINE = 400;
const INDENT = '  ';
const CDATA = '<![CDATA[';
const NAME = /^[^\s/>]+/;
const ATTRIBUTE = /([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const STEP = /\/(@?)(?:[\w.-]+:)?([\w.-]+)(?:\[(\d+)\])?/g;
const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

type Token = { kind: 'open' | 'close' | 'empty' | 'other' | 'text'; from: number; to: number };

/**
 * The elements of an XML; null for a text that is not one, has a DOCTYPE, or is out of proportion.
 *
 * Only places are looked for: no entity is expanded and nothing is loaded, so that any file may be looked at.
 */
export function outline(text: string): XmlNode | null {
  let root: XmlNode | null = null;
  let open: XmlNode | null = null;
  let depth = 0;
  let count = 0;
  for (const { kind, from, to } of tokens(text)) {
    if (kind === 'text' && open) open.text += text.startsWith(CDATA, from) ? escaped(text.slice(from + CDATA.length, to - 3)) : text.slice(from, to);
    if (kind === 'other' && text.startsWith('<!DOCTYPE', from)) return null;
    if (kind === 'open' || kind === 'empty') {
      if (root && !open) return null;
      const tag = text.slice(from + 1, to - 1);
      const full = NAME.exec(tag)?.[0] ?? '';
      const node: XmlNode = { name: localName(full), from, to, nameTo: from + 1 + full.length, text: '', attributes: attributesOf(tag), children: [], parent: open };
      open?.children.push(node);
      root ??= node;
      count += 1;
      if (kind === 'open') { open = node; depth += 1; }
      if (depth > MAX_DEPTH || count > MAX_ELEMENTS) return null;
    }
    if (kind === 'close') {
      if (!open) return null;
      open.to = to;
      open.text = open.children.length > 0 ? '' : decoded(open.text.trim());
      open = open.parent;
      depth -= 1;
    }
  }
  return open === null ? root : null;
}

/** An XML with line breaks between its elements, if it has too long lines to be read. */
export function readable(text: string): string {
  if (outline(text) === null || text.split('\n').every((line) => line.length <= MAX_LINE)) return text;
  const parts: string[] = [];
  let depth = 0;
  let last: Token['kind'] = 'other';
  for (const { kind, from, to } of tokens(text)) {
    const part = text.slice(from, to);
    if (kind === 'text' && part.trim() === '') continue;
    if (kind === 'close') depth -= 1;
    const isInline = kind === 'text' || last === 'text' || (kind === 'close' && last === 'open');
    if (!isInline && parts.length > 0) parts.push('\n', INDENT.repeat(depth));
    parts.push(part);
    if (kind === 'open') depth += 1;
    last = kind;
  }
  return `${parts.join('')}\n`;
}

/** The element at an XPath, or the nearest one above it. */
export function nodeAt(root: XmlNode, xpath: string): XmlNode | null {
  let found: XmlNode | null = null;
  for (const [, attribute, name = '', position] of xpath.matchAll(STEP)) {
    if (attribute) break;
    const among: XmlNode[] = found === null ? [root] : found.children;
    const next: XmlNode | undefined = among.filter((each) => each.name === name)[Number(position ?? 1) - 1];
    if (!next) break;
    found = next;
  }
  return found;
}

/** The innermost element around an offset. */
export function nodeAround(root: XmlNode, offset: number): XmlNode | null {
  if (offset < root.from || offset > root.to) return null;
  let found = root;
  for (;;) {
    const inner = found.children.find((each) => each.from <= offset && offset < each.to);
    if (!inner) return found;
    found = inner;
  }
}

export function* descendants(node: XmlNode): Generator<XmlNode> {
  for (const child of node.children) {
    yield child;
    yield* descendants(child);
  }
}

function* tokens(text: string): Generator<Token> {
  let at = 0;
  while (at < text.length) {
    const begin = text.indexOf('<', at);
    if (begin < 0) { yield { kind: 'text', from: at, to: text.length }; return; }
    if (begin > at) yield { kind: 'text', from: at, to: begin };
    const kind = kindAt(text, begin);
    at = endOf(text, begin, kind);
    const isEmpty = kind === 'open' && text[at - 2] === '/';
    yield { kind: isEmpty ? 'empty' : kind, from: begin, to: at };
  }
}

function kindAt(text: string, at: number): Token['kind'] {
  const next = text[at + 1];
  if (next === '/') return 'close';
  if (text.startsWith(CDATA, at)) return 'text';
  return next === '!' || next === '?' ? 'other' : 'open';
}

function endOf(text: string, at: number, kind: Token['kind']): number {
  const ends: [string, string][] = [['<!--', '-->'], [CDATA, ']]>'], ['<?', '?>']];
  const special = ends.find(([begin]) => text.startsWith(begin, at));
  if (special) return after(text, special[1], at + special[0].length);
  if (kind !== 'open') return after(text, '>', at);
  let quote = '';
  for (let place = at + 1; place < text.length; place += 1) {
    const char = text[place] ?? '';
    if (quote !== '') { if (char === quote) quote = ''; }
    else if (char === '"' || char === "'") quote = char;
    else if (char === '>') return place + 1;
  }
  return text.length;
}

function after(text: string, end: string, from: number): number {
  const found = text.indexOf(end, from);
  return found < 0 ? text.length : found + end.length;
}

function attributesOf(tag: string): Record<string, string> {
  return Object.fromEntries([...tag.matchAll(ATTRIBUTE)].map(([, name = '', one, other]) => [localName(name), decoded(one ?? other ?? '')]));
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function decoded(text: string): string {
  return text.replace(/&(#x[\da-f]{1,6}|#\d{1,7}|\w{1,8});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name] ?? whole;
    const code = name[1]?.toLowerCase() === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
