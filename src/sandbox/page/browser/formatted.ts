import { covered, tight } from './discord-components.ts';
import { element } from './element.ts';
import { type MarkupNode, parse } from './markdown.ts';
import { formatRelative, formatTime } from './moments.ts';
import { sandboxNow } from './sandbox-time.ts';
import type { State } from './store.ts';

/** Who and what the mentions mean. */
type Names = Pick<State, 'members' | 'roles' | 'channels' | 'bot'>;

/** A text of Discord as elements. */
export function formatted(text: string, names: Names): DocumentFragment {
  const fragment = document.createDocumentFragment();
  fragment.append(...parse(text).flatMap((node) => draw(node, names)));
  return fragment;
}

function draw(node: MarkupNode, names: Names): Node[] {
  if (typeof node === 'string') return lines(node);
  const children = 'children' in node ? node.children.flatMap((child) => draw(child, names)) : [];
  switch (node.kind) {
    case 'strong':
      return [tight(element('discord-bold', {}, ...children))];
    case 'emphasis':
      return [tight(element('discord-italic', {}, ...children))];
    case 'underline':
      return [tight(element('discord-underlined', {}, ...children))];
    case 'deleted':
      return [element('s', {}, ...children)];
    case 'spoiler':
      return [covered(element('discord-spoiler', {}, ...children))];
    case 'code':
      return [element('discord-code', {}, ...children)];
    case 'code_block':
      return [element('discord-code', { multiline: true, embed: true }, ...node.children)];
    case 'quote':
      return [element('discord-quote', {}, ...children)];
    case 'list':
      return [element('discord-unordered-list', {}, ...children)];
    case 'item':
      return [element('discord-list-item', {}, ...children)];
    case 'heading':
      return [element('discord-header', { level: node.level }, ...children)];
    case 'subtext':
      return [element('discord-subscript', {}, ...children)];
    case 'link':
      return [element('discord-link', { href: node.url, target: '_blank', rel: 'noopener noreferrer' }, ...children)];
    case 'time':
      return [time(node.at * 1000, node.style)];
    default:
      return [mention(node, names)];
  }
}

function lines(text: string): Node[] {
  return text.split('\n').flatMap((line, index) => [...(index > 0 ? [element('br')] : []), new Text(line)]);
}

function mention(node: Extract<MarkupNode, { kind: 'user' | 'role' | 'channel' | 'command' }>, names: Names): Node {
  switch (node.kind) {
    case 'user':
      return element('discord-mention', { type: 'user' }, named([...names.members, names.bot], node));
    case 'role':
      return element('discord-mention', { type: 'role' }, named(names.roles, node));
    case 'channel':
      return element('discord-mention', { type: 'channel' }, named(names.channels, node));
    case 'command':
      return element('discord-mention', { type: 'slash' }, node.name);
  }
}

function named(known: readonly { id: string; name: string }[], { id, kind }: { id: string; kind: string }): string {
  return known.find((each) => each.id === id)?.name ?? `unknown-${kind}`;
}

function time(at: number, style: string): Node {
  if (Number.isNaN(new Date(at).getTime())) return new Text('Invalid date');
  const attributes = { datetime: new Date(at).toISOString(), title: formatTime(at, 'F') };
  const text =
    style === 'R'
      ? element('time', { ...attributes, 'data-relative': at }, formatRelative(at, sandboxNow()))
      : element('time', attributes, formatTime(at, style));
  return element('discord-time', {}, text);
}
