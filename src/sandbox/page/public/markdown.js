/**
 * Discord's markdown as a tree: what a message may hold, not what it looks like.
 *
 * A node is a text, or `{ kind, … }` with `children` where it wraps others.
 *
 * @typedef {string | { kind: string, children?: Node[], [field: string]: unknown }} Node
 */

/** What begins a block at the beginning of a line. */
const blocks = [
  [/^```(?:[a-z0-9+-]+\n)?\n*([\s\S]+?)\n*```(?:\n|$)/i, ([, text]) => ({ kind: 'code_block', children: [text] })],
  [/^(#{1,3}) +(.+)(?:\n|$)/, ([, marks, text]) => ({ kind: 'heading', level: marks.length, children: inline(text) })],
  [/^-# +(.+)(?:\n|$)/, ([, text]) => ({ kind: 'subtext', children: inline(text) })],
  [/^(?:> .*(?:\n|$))+/, ([text]) => ({ kind: 'quote', children: parse(text.replaceAll(/^> /gm, '').trimEnd()) })],
  [/^(?:[-*] .+(?:\n|$))+/, ([text]) => ({ kind: 'list', children: items(text) })],
];

/** What stands within a line. The first that fits wins. */
const spans = [
  [/^\\([^\p{L}\p{N}\s])/u, ([, character]) => character],
  [/^``(.+?)``(?!`)/s, ([, text]) => ({ kind: 'code', children: [text] })],
  [/^`([^`]+)`/, ([, text]) => ({ kind: 'code', children: [text] })],
  [/^<@!?(\d{1,20})>/, ([, id]) => ({ kind: 'user', id })],
  [/^<@&(\d{1,20})>/, ([, id]) => ({ kind: 'role', id })],
  [/^<#(\d{1,20})>/, ([, id]) => ({ kind: 'channel', id })],
  [/^<\/([^:>]{1,100}):\d{1,20}>/, ([, name]) => ({ kind: 'command', name })],
  [/^<t:(-?\d{1,13})(?::([tTdDfFR]))?>/, ([, at, style]) => ({ kind: 'time', at: Number(at), style: style ?? 'f' })],
  [/^<a?:(\w{2,32}):\d{1,20}>/, ([, name]) => `:${name}:`],
  [/^\[((?:\\.|[^[\]\\])+)\]\(<?(https?:\/\/[^\s<>()]+(?:\([^\s<>()]*\)[^\s<>()]*)*)>?\)/, link],
  [/^<(https?:\/\/[^\s<>]+)>/, ([, url]) => ({ kind: 'link', url, children: [url] })],
  [/^https?:\/\/[^\s<>]*[^\s<>.,:;"')\]]/, ([url]) => ({ kind: 'link', url, children: [url] })],
  [/^\*\*\*(?=\S)([\s\S]+?)\*\*\*(?!\*)/, ([, text]) => wrap('strong', [wrap('emphasis', inline(text))])],
  [/^\*\*(?=\S)((?:\\.|[^\\])+?)\*\*(?!\*)/s, ([, text]) => wrap('strong', inline(text))],
  [/^__(?=\S)((?:\\.|[^\\])+?)__(?!_)/s, ([, text]) => wrap('underline', inline(text))],
  [/^~~(?=\S)((?:\\.|[^\\])+?)~~/s, ([, text]) => wrap('deleted', inline(text))],
  [/^\|\|((?:\\.|[^\\])+?)\|\|/s, ([, text]) => wrap('spoiler', inline(text))],
  [/^\*(?=\S)((?:\\.|[^\\*])+?)\*(?!\*)/s, ([, text]) => wrap('emphasis', inline(text))],
  [/^_(?=\S)((?:\\.|[^\\_])+?)_(?![_\p{L}\p{N}])/su, ([, text]) => wrap('emphasis', inline(text))],
];

/**
 * Reads a whole text: blocks first, and what is between them line by line.
 *
 * @param {string} text
 * @returns {Node[]}
 */
export function parse(text) {
  const nodes = [];
  let rest = text;
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

function inline(text) {
  const nodes = [];
  let rest = text;
  let before = '';
  while (rest !== '') {
    // A name such as old_salt is no beginning of an emphasis.
    const inWord = rest.startsWith('_') && /[\p{L}\p{N}]$/u.test(before);
    const span = inWord ? null : firstMatch(spans, rest);
    const taken = span === null ? [...rest][0] : rest.slice(0, span.length);
    push(nodes, span === null ? taken : span.node);
    before = taken;
    rest = rest.slice(taken.length);
  }
  return nodes;
}

/** Texts that touch become one. */
function push(nodes, node) {
  const last = nodes.at(-1);
  if (typeof node === 'string' && typeof last === 'string') nodes[nodes.length - 1] = last + node;
  else nodes.push(node);
}

function firstMatch(kinds, text) {
  for (const [pattern, make] of kinds) {
    const match = pattern.exec(text);
    if (match !== null) return { node: make(match), length: match[0].length };
  }
  return null;
}

function wrap(kind, children) {
  return { kind, children };
}

function link([, label, url]) {
  return { kind: 'link', url, children: inline(label) };
}

function items(text) {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => wrap('item', inline(line.slice(2))));
}
