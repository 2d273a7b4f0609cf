import { element } from './element.js';
import { parse } from './markdown.js';
import { formatRelative, formatTime, sandboxNow } from './time.js';

const tags = {
  strong: 'strong',
  emphasis: 'em',
  underline: 'u',
  deleted: 's',
  quote: 'blockquote',
  list: 'ul',
  item: 'li',
  code: 'code',
};

/**
 * A text of Discord as elements.
 *
 * @param {string} text
 * @param {object} names who and what the mentions mean: the store's state
 */
export function formatted(text, names) {
  const fragment = document.createDocumentFragment();
  fragment.append(...parse(text).map((node) => draw(node, names)));
  return fragment;
}

function draw(node, names) {
  if (typeof node === 'string') return document.createTextNode(node);
  const children = (node.children ?? []).map((child) => draw(child, names));
  const tag = tags[node.kind];
  if (tag !== undefined) return element(tag, {}, ...children);
  switch (node.kind) {
    case 'heading':
      return element('p', { class: `heading level-${node.level}` }, ...children);
    case 'subtext':
      return element('p', { class: 'subtext' }, ...children);
    case 'code_block':
      return element('pre', {}, element('code', {}, ...children));
    case 'spoiler':
      return spoiler(children);
    case 'link':
      return element('a', { href: node.url, target: '_blank', rel: 'noopener noreferrer' }, ...children);
    case 'time':
      return time(node.at * 1000, node.style);
    default:
      return mention(node, names);
  }
}

function mention(node, names) {
  const known = {
    user: () => names.members.find(({ id }) => id === node.id) ?? (names.bot.id === node.id ? names.bot : undefined),
    role: () => names.roles.find(({ id }) => id === node.id),
    channel: () => names.channels.find(({ id }) => id === node.id),
    command: () => ({ name: node.name }),
  }[node.kind]?.();
  const sign = { user: '@', role: '@', channel: '#', command: '/' }[node.kind] ?? '';
  return element('span', { class: 'mention' }, sign + (known?.name ?? `unknown-${node.kind}`));
}

function time(at, style) {
  if (Number.isNaN(new Date(at).getTime())) return document.createTextNode('Invalid date');
  const attributes = { class: 'stamp', datetime: new Date(at).toISOString(), title: formatTime(at, 'F') };
  return style === 'R'
    ? element('time', { ...attributes, 'data-relative': at }, formatRelative(at, sandboxNow()))
    : element('time', attributes, formatTime(at, style));
}

function spoiler(children) {
  const cover = element('button', { type: 'button', class: 'spoiler', 'aria-label': 'Spoiler, press to show' });
  cover.append(...children);
  cover.addEventListener('click', () => {
    cover.classList.add('open');
    cover.removeAttribute('aria-label');
  });
  return cover;
}
