import { second } from '../../../platform/durations.ts';
import { makeSpoilerAccessible, trimText } from './discord-components.ts';
import { element } from './element.ts';
import { formatTime } from './format-time.ts';
import { type MarkupNode, parseMarkdown } from './markdown.ts';
import { relativeTime } from './relative-times.ts';
import { localeOf, type State } from './store.ts';

/** What mentions and timestamps are resolved with. */
type Names = Pick<State, 'members' | 'strangers' | 'roles' | 'channels' | 'bot' | 'clock' | 'userId'>;

/** Renders Discord's markdown. */
export function renderMarkdown(text: string, names: Names): DocumentFragment {
  const fragment = document.createDocumentFragment();
  fragment.append(...parseMarkdown(text).flatMap((node) => renderNode(node, names)));
  return fragment;
}

function renderNode(node: MarkupNode, names: Names): Node[] {
  if (typeof node === 'string') return renderLines(node);
  const children = 'children' in node ? node.children.flatMap((child) => renderNode(child, names)) : [];
  switch (node.kind) {
    case 'strong':
      return [trimText(element('discord-bold', {}, ...children))];
    case 'emphasis':
      return [trimText(element('discord-italic', {}, ...children))];
    case 'underline':
      return [trimText(element('discord-underlined', {}, ...children))];
    case 'deleted':
      return [element('s', {}, ...children)];
    case 'spoiler':
      return [makeSpoilerAccessible(element('discord-spoiler', {}, ...children))];
    case 'code':
      return [element('discord-code', {}, ...children)];
    case 'code_block':
      return [element('discord-code', { multiline: true, embed: true }, ...node.children)];
    case 'quote':
      return [element('discord-quote', {}, ...children)];
    case 'list':
      return [element(node.start === null ? 'ul' : 'ol', { class: 'list', start: node.start }, ...children)];
    case 'item':
      return [element('li', {}, ...children)];
    case 'heading':
      return [element('discord-header', { level: node.level }, ...children)];
    case 'subtext':
      return [element('discord-subscript', {}, ...children)];
    case 'link':
      return [element('discord-link', { href: node.url, target: '_blank', rel: 'noopener noreferrer' }, ...children)];
    case 'time':
      return [renderTime(node.at * second, node.style, names)];
    default:
      return [renderMention(node, names)];
  }
}

function renderLines(text: string): Node[] {
  return text.split('\n').flatMap((line, index) => [...(index > 0 ? [element('br')] : []), new Text(line)]);
}

function renderMention(
  node: Extract<MarkupNode, { kind: 'user' | 'role' | 'channel' | 'command' }>,
  names: Names,
): Node {
  switch (node.kind) {
    case 'user':
      return element(
        'discord-mention',
        { type: 'user' },
        nameOf([...names.members, ...names.strangers, names.bot], node),
      );
    case 'role':
      return element('discord-mention', { type: 'role' }, nameOf(names.roles, node));
    case 'channel':
      return element('discord-mention', { type: 'channel' }, nameOf(names.channels, node));
    case 'command':
      return element('discord-mention', { type: 'slash' }, node.name);
  }
}

function nameOf(items: readonly { id: string; name: string }[], { id, kind }: { id: string; kind: string }): string {
  return items.find((each) => each.id === id)?.name ?? `unknown-${kind}`;
}

function renderTime(at: number, style: string, names: Names): Node {
  const locale = localeOf(names);
  if (Number.isNaN(new Date(at).getTime())) return new Text('Invalid date');
  if (style === 'R') return element('discord-time', {}, relativeTime(at, names.clock.now(), locale));
  const attributes = { datetime: new Date(at).toISOString(), title: formatTime(at, 'F', locale) };
  return element('discord-time', {}, element('time', attributes, formatTime(at, style, locale)));
}
