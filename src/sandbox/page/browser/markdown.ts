/** Discord's markdown as a tree: what a message may hold, not what it looks like. */
export type MarkupNode =
  | string
  | { readonly kind: Wrapping; readonly children: readonly MarkupNode[] }
  | { readonly kind: 'heading'; readonly level: number; readonly children: readonly MarkupNode[] }
  | { readonly kind: 'code' | 'code_block'; readonly children: readonly string[] }
  | { readonly kind: 'link'; readonly url: string; readonly children: readonly MarkupNode[] }
  | { readonly kind: 'user' | 'role' | 'channel'; readonly id: string }
  | { readonly kind: 'command'; readonly name: string }
  /** `at` in seconds since the epoch. */
  | { readonly kind: 'time'; readonly at: number; readonly style: string };

type Wrapping = 'strong' | 'emphasis' | 'underline' | 'deleted' | 'spoiler' | 'subtext' | 'quote' | 'list' | 'item';

/** What a text begins with, and what it makes of the groups of the match. The first that fits wins. */
type Rule = readonly [pattern: RegExp, make: (groups: readonly string[]) => MarkupNode];

/** What begins a block at the beginning of a line. */
const blocks: readonly Rule[] = [
  [/^```(?:[a-z0-9+-]+\n)?\n*([\s\S]+?)\n*```(?:\n|$)/i, ([, text = '']) => ({ kind: 'code_block', children: [text] })],
  [
    /^(#{1,3}) +(.+)(?:\n|$)/,
    ([, marks = '', text = '']) => ({ kind: 'heading', level: marks.length, children: inline(text) }),
  ],
  [/^-# +(.+)(?:\n|$)/, ([, text = '']) => ({ kind: 'subtext', children: inline(text) })],
  [/^(?:> .*(?:\n|$))+/, ([text = '']) => ({ kind: 'quote', children: parse(text.replaceAll(/^> /gm, '').trimEnd()) })],
  [/^(?:[-*] .+(?:\n|$))+/, ([text = '']) => ({ kind: 'list', children: items(text) })],
];

/** What stands within a line. */
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
  [/^\[((?:\\.|[^[\]\\])+)\]\(<?(https?:\/\/[^\s<>()]+(?:\([^\s<>()]*\)[^\s<>()]*)*)>?\)/, link],
  [/^<(https?:\/\/[^\s<>]+)>/, ([, url = '']) => ({ kind: 'link', url, children: [url] })],
  [/^https?:\/\/[^\s<>]*[^\s<>.,:;"')\]]/, ([url = '']) => ({ kind: 'link', url, children: [url] })],
  [/^\*\*\*(?=\S)([\s\S]+?)\*\*\*(?!\*)/, ([, text = '']) => wrap('strong', [wrap('emphasis', inline(text))])],
  [/^\*\*(?=\S)((?:\\.|[^\\])+?)\*\*(?!\*)/s, ([, text = '']) => wrap('strong', inline(text))],
  [/^__(?=\S)((?:\\.|[^\\])+?)__(?!_)/s, ([, text = '']) => wrap('underline', inline(text))],
  [/^~~(?=\S)((?:\\.|[^\\])+?)~~/s, ([, text = '']) => wrap('deleted', inline(text))],
  [/^\|\|((?:\\.|[^\\])+?)\|\|/s, ([, text = '']) => wrap('spoiler', inline(text))],
  [/^\*(?=\S)((?:\\.|[^\\*])+?)\*(?!\*)/s, ([, text = '']) => wrap('emphasis', inline(text))],
  [/^_(?=\S)((?:\\.|[^\\_])+?)_(?![_\p{L}\p{N}])/su, ([, text = '']) => wrap('emphasis', inline(text))],
];

/** The description of an embed is the longest text that Discord marks up. Discord: "Embed Limits". */
const longest = 4_096;

/** Reads a whole text: blocks first, and what is between them line by line. What is beyond Discord's limit is not looked at. */
export function parse(text: string): readonly MarkupNode[] {
  const nodes: MarkupNode[] = [];
  let rest = text.slice(0, longest);
  let plain = '';
  while (rest !== '') {
    const block = firstMatch(blocks, rest);
    if (block === null) {
      const line = /^[^\n]*\n?/.exec(rest)?.[0] ?? rest;
      plain += line;
      rest = rest.slice(line.length);
    } else {
      if (plain !== '') nodes.push(...inline(plain.replace(/\n$/, '')));
      plain = '';
      nodes.push(block.node);
      rest = rest.slice(block.length);
    }
  }
  return plain === '' ? nodes : [...nodes, ...inline(plain)];
}

/** The words alone, for where nothing can be marked up. */
export function plainText(text: string): string {
  return parse(text).map(wordsOf).join('');
}

function wordsOf(node: MarkupNode): string {
  if (typeof node === 'string') return node;
  if ('children' in node) return node.children.map(wordsOf).join('');
  return 'name' in node ? `/${node.name}` : '';
}

function inline(text: string): readonly MarkupNode[] {
  const nodes: MarkupNode[] = [];
  let rest = text;
  let before = '';
  while (rest !== '') {
    // A name such as old_salt is no beginning of an emphasis.
    const inWord = rest.startsWith('_') && /[\p{L}\p{N}]$/u.test(before);
    const span = inWord ? null : firstMatch(spans, rest);
    const taken = span === null ? String.fromCodePoint(rest.codePointAt(0) ?? 0) : rest.slice(0, span.length);
    push(nodes, span === null ? taken : span.node);
    before = taken;
    rest = rest.slice(taken.length);
  }
  return nodes;
}

/** Texts that touch become one. */
function push(nodes: MarkupNode[], node: MarkupNode): void {
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

function wrap(kind: Wrapping, children: readonly MarkupNode[]): MarkupNode {
  return { kind, children };
}

function link([, label = '', url = '']: readonly string[]): MarkupNode {
  return { kind: 'link', url, children: inline(label) };
}

function items(text: string): readonly MarkupNode[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => wrap('item', inline(line.slice(2))));
}
