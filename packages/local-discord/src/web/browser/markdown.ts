export type MarkupNode =
  | string
  | { readonly kind: ContainerKind; readonly children: readonly MarkupNode[] }
  /** `start` is the number of the first item of an ordered list. */
  | { readonly kind: 'list'; readonly start: number | null; readonly children: readonly MarkupNode[] }
  | { readonly kind: 'heading'; readonly level: number; readonly children: readonly MarkupNode[] }
  | { readonly kind: 'code' | 'code_block'; readonly children: readonly string[] }
  | { readonly kind: 'link'; readonly url: string; readonly children: readonly MarkupNode[] }
  | { readonly kind: 'user' | 'role' | 'channel'; readonly id: string }
  | { readonly kind: 'command'; readonly name: string }
  /** `at` in seconds since the epoch. */
  | { readonly kind: 'time'; readonly at: number; readonly style: string };

type ContainerKind = 'strong' | 'emphasis' | 'underline' | 'deleted' | 'spoiler' | 'subtext' | 'quote' | 'item';

/** A pattern for the start of the text, and the node for its match. The first matching rule applies. */
type Rule = readonly [pattern: RegExp, make: (groups: readonly string[]) => MarkupNode];

/** Blocks, at the start of a line, also of a quote. */
const blocksInQuotes: readonly Rule[] = [
  [
    /^```(?:[a-z0-9+-]+\n)?([\s\S]+?)```(?:\n|$)/i,
    ([, text = '']) => ({ kind: 'code_block', children: [text.replaceAll(/^\n+|(?<!\n)\n+$/g, '')] }),
  ],
  [
    /^(#{1,3}) +(\S.*)(?:\n|$)/,
    ([, marks = '', text = '']) => ({ kind: 'heading', level: marks.length, children: parseInline(text) }),
  ],
  [/^-# +(\S.*)(?:\n|$)/, ([, text = '']) => ({ kind: 'subtext', children: parseInline(text) })],
  [
    /^(?:[-*]|\d{1,9}\.) +\S.*(?:\n +(?:[-*]|\d{1,9}\.) +\S.*|\n(?:[-*]|\d{1,9}\.) +\S.*)*(?:\n|$)/,
    ([text = '']) => parseList(text.trimEnd().split('\n')),
  ],
];

/** In Discord a quote contains no other one. */
const blocks: readonly Rule[] = [
  [/^>>> ([\s\S]+)$/, ([, text = '']) => ({ kind: 'quote', children: parseBlocks(text.trimEnd(), blocksInQuotes) })],
  [
    /^(?:> .*(?:\n|$))+/,
    ([text = '']) => ({
      kind: 'quote',
      children: parseBlocks(text.replaceAll(/^> /gm, '').trimEnd(), blocksInQuotes),
    }),
  ],
  ...blocksInQuotes,
];

const spans: readonly Rule[] = [
  [/^\\([^\p{L}\p{N}\s])/u, ([, character = '']) => character],
  [/^``(.+?)``(?!`)/s, ([, text = '']) => ({ kind: 'code', children: [text] })],
  [/^`([^`]+)`/, ([, text = '']) => ({ kind: 'code', children: [text] })],
  [/^<@!?(\d{1,20})>/, ([, id = '']) => ({ kind: 'user', id })],
  [/^<@&(\d{1,20})>/, ([, id = '']) => ({ kind: 'role', id })],
  [/^<#(\d{1,20})>/, ([, id = '']) => ({ kind: 'channel', id })],
  [/^<\/([^:>]{1,100}):\d{1,20}>/, ([, name = '']) => ({ kind: 'command', name })],
  [/^<t:(-?\d{1,13})(?::([tTdDfFR]))?>/, ([, at = '', style = 'f']) => ({ kind: 'time', at: Number(at), style })],
  [/^<a?:(\w{2,32}):\d{1,20}>/, ([, name = '']) => `:${name}:`],
  [/^\[((?:\\.|[^[\]\\])+)\]\(<?(https?:\/\/[^\s<>()]+(?:\([^\s<>()]*\)[^\s<>()]*)*)>?\)/, parseLink],
  [/^<(https?:\/\/[^\s<>]+)>/, ([, url = '']) => ({ kind: 'link', url, children: [url] })],
  [/^https?:\/\/[^\s<>]*[^\s<>.,:;"')\]]/, ([url = '']) => ({ kind: 'link', url, children: [url] })],
  [
    /^\*\*\*(?=\S)([\s\S]+?)\*\*\*(?!\*)/,
    ([, text = '']) => container('strong', [container('emphasis', parseInline(text))]),
  ],
  [/^\*\*(?=\S)((?:\\.|[^\\])+?)\*\*(?!\*)/s, ([, text = '']) => container('strong', parseInline(text))],
  [/^__(?=\S)((?:\\.|[^\\])+?)__(?!_)/s, ([, text = '']) => container('underline', parseInline(text))],
  [/^~~(?=\S)((?:\\.|[^\\])+?)~~/s, ([, text = '']) => container('deleted', parseInline(text))],
  [/^\|\|((?:\\.|[^\\])+?)\|\|/s, ([, text = '']) => container('spoiler', parseInline(text))],
  [/^\*(?=\S)((?:\\.|[^\\*])+?)\*(?!\*)/s, ([, text = '']) => container('emphasis', parseInline(text))],
  [/^_(?=\S)((?:\\.|[^\\_])+?)_(?![_\p{L}\p{N}])/su, ([, text = '']) => container('emphasis', parseInline(text))],
];

/** The longest text with markdown is the description of an embed. Discord: "Embed Limits". */
const maxLength = 4_096;

/** Parses a text: blocks, and inline elements between them. Text beyond Discord's limit is ignored. */
export function parseMarkdown(text: string): readonly MarkupNode[] {
  return parseBlocks(text.slice(0, maxLength), blocks);
}

function parseBlocks(text: string, rules: readonly Rule[]): readonly MarkupNode[] {
  const nodes: MarkupNode[] = [];
  let remaining = text;
  let plain = '';
  while (remaining !== '') {
    const block = firstMatch(rules, remaining);
    if (block === null) {
      const line = /^[^\n]*\n?/.exec(remaining)?.[0] ?? remaining;
      plain += line;
      remaining = remaining.slice(line.length);
    } else {
      if (plain !== '') nodes.push(...parseInline(plain.replace(/\n$/, '')));
      plain = '';
      nodes.push(block.node);
      remaining = remaining.slice(block.length);
    }
  }
  return plain === '' ? nodes : [...nodes, ...parseInline(plain)];
}

/** The text without markup. */
export function plainText(text: string): string {
  return parseMarkdown(text).map(textOf).join('');
}

function textOf(node: MarkupNode): string {
  if (typeof node === 'string') return node;
  if ('children' in node) return node.children.map(textOf).join('');
  return 'name' in node ? `/${node.name}` : '';
}

function parseInline(text: string): readonly MarkupNode[] {
  const nodes: MarkupNode[] = [];
  let remaining = text;
  let previous = '';
  while (remaining !== '') {
    // An underscore within a word, as in old_salt, does not start emphasis.
    const inWord = remaining.startsWith('_') && /[\p{L}\p{N}]$/u.test(previous);
    const span = inWord ? null : firstMatch(spans, remaining);
    const matched =
      span === null ? String.fromCodePoint(remaining.codePointAt(0) ?? 0) : remaining.slice(0, span.length);
    appendNode(nodes, span === null ? matched : span.node);
    previous = matched;
    remaining = remaining.slice(matched.length);
  }
  return nodes;
}

/** Appends a node; adjacent texts are joined. */
function appendNode(nodes: MarkupNode[], node: MarkupNode): void {
  const last = nodes.at(-1);
  if (typeof node === 'string' && typeof last === 'string') nodes[nodes.length - 1] = last + node;
  else nodes.push(node);
}

function firstMatch(rules: readonly Rule[], text: string): { node: MarkupNode; length: number } | null {
  for (const [pattern, make] of rules) {
    const match = pattern.exec(text);
    if (match !== null) return { node: make(match), length: match[0].length };
  }
  return null;
}

function container(kind: ContainerKind, children: readonly MarkupNode[]): MarkupNode {
  return { kind, children };
}

function parseLink([, label = '', url = '']: readonly string[]): MarkupNode {
  return { kind: 'link', url, children: parseInline(label) };
}

/** A list; lines that are indented further than the first one belong to the item before them. */
function parseList(lines: readonly string[]): MarkupNode {
  const [first = ''] = lines;
  const indent = indentOf(first);
  const starts = lines.flatMap((line, index) => (indentOf(line) <= indent ? [index] : []));
  const number = /^ *(\d+)\./.exec(first)?.[1];
  return {
    kind: 'list',
    start: number === undefined ? null : Number(number),
    children: starts.map((start, index) => parseItem(lines.slice(start, starts[index + 1]))),
  };
}

function parseItem([line = '', ...nested]: readonly string[]): MarkupNode {
  const text = line.replace(/^ *(?:[-*]|\d+\.) +/, '');
  return container('item', [...parseInline(text), ...(nested.length > 0 ? [parseList(nested)] : [])]);
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
