import { ref } from 'lit/directives/ref.js';
import { second } from '../../../platform/durations.ts';
import { makeSpoilerAccessible, trimText } from './discord-components.ts';
import { html, nothing, type TemplateResult } from './element.ts';
import { formatRelative, formatTime } from './format-time.ts';
import { type MarkupNode, parseMarkdown } from './markdown.ts';
import { localeOf, type PageStore, type State } from './store.ts';

/** What mentions and timestamps are resolved with. */
type Names = Pick<State, 'members' | 'strangers' | 'roles' | 'channels' | 'bot' | 'clock' | 'userId'>;

type Rendered = TemplateResult | string | readonly Rendered[];

/** Renders Discord's markdown. */
export function renderMarkdown(text: string, names: Names): readonly Rendered[] {
  return parseMarkdown(text).map((node) => renderNode(node, names));
}

function renderNode(node: MarkupNode, names: Names): Rendered {
  if (typeof node === 'string') return renderLines(node);
  const children = 'children' in node ? node.children.map((child) => renderNode(child, names)) : [];
  switch (node.kind) {
    case 'strong':
      return html`<discord-bold ${ref(trimText)}>${children}</discord-bold>`;
    case 'emphasis':
      return html`<discord-italic ${ref(trimText)}>${children}</discord-italic>`;
    case 'underline':
      return html`<discord-underlined ${ref(trimText)}>${children}</discord-underlined>`;
    case 'deleted':
      return html`<s>${children}</s>`;
    case 'spoiler':
      return html`<discord-spoiler ${ref(makeSpoilerAccessible)}>${children}</discord-spoiler>`;
    case 'code':
      return html`<discord-code>${children}</discord-code>`;
    case 'code_block':
      return html`<discord-code multiline embed>${node.children}</discord-code>`;
    case 'quote':
      return html`<discord-quote>${children}</discord-quote>`;
    case 'list':
      return node.start === null
        ? html`<ul class="list">${children}</ul>`
        : html`<ol class="list" start=${node.start}>${children}</ol>`;
    case 'item':
      return html`<li>${children}</li>`;
    case 'heading':
      return html`<discord-header level=${node.level}>${children}</discord-header>`;
    case 'subtext':
      return html`<discord-subscript>${children}</discord-subscript>`;
    case 'link':
      return html`<discord-link href=${node.url} target="_blank" rel="noopener noreferrer">${children}</discord-link>`;
    case 'time':
      return renderTime(node.at * second, node.style, names);
    case 'command':
      return html`<discord-mention type="slash">${node.name}</discord-mention>`;
    default:
      return html`<discord-mention type=${node.kind}>${nameOf(node, names)}</discord-mention>`;
  }
}

function renderLines(text: string): Rendered {
  return text.split('\n').map((line, index) => (index > 0 ? html`<br>${line}` : line));
}

function nameOf({ id, kind }: Extract<MarkupNode, { kind: 'user' | 'role' | 'channel' }>, names: Names): string {
  const { members, strangers, bot, roles, channels } = names;
  const items = { user: [...members, ...strangers, bot], role: roles, channel: channels }[kind];
  return items.find((each) => each.id === id)?.name ?? `unknown-${kind}`;
}

function renderTime(at: number, style: string, names: Names): Rendered {
  const locale = localeOf(names);
  if (Number.isNaN(new Date(at).getTime())) return 'Invalid date';
  if (style === 'R') return html`<discord-time>${relativeTime(at, names.clock.now(), locale)}</discord-time>`;
  const [iso, title] = [new Date(at).toISOString(), formatTime(at, 'F', locale)];
  return html`<discord-time><time datetime=${iso} title=${title}>${formatTime(at, style, locale)}</time></discord-time>`;
}

/**
 * A relative time such as "in 3 hours", which {@link startRelativeTimes} keeps up to date. Both in ms since the epoch.
 *
 * @param locale the default is the browser's
 */
export function relativeTime(at: number, now: number, locale?: string): TemplateResult {
  const iso = new Date(at).toISOString();
  const text = formatRelative(at, now, locale);
  return html`<time datetime=${iso} title=${formatTime(at, 'F', locale)} data-relative=${at} data-locale=${locale ?? nothing} .textContent=${text}></time>`;
}

/** Updates every relative time on the page once a second. */
export function startRelativeTimes(store: PageStore): void {
  function render(): void {
    for (const node of document.querySelectorAll<HTMLElement>('time[data-relative]')) {
      const { relative, locale } = node.dataset;
      const text = formatRelative(Number(relative), store.state.clock.now(), locale);
      if (node.textContent !== text) node.textContent = text;
    }
  }
  setInterval(render, second);
  store.on(['simulation', 'time'], render);
}
