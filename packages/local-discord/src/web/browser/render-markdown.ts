import { second } from '@tallyhook/platform/durations';
import { ref } from 'lit/directives/ref.js';
import { makeSpoilerAccessible, trimText } from './discord-components.ts';
import { html, nothing, type TemplateResult } from './element.ts';
import { formatRelative, formatTime } from './format-time.ts';
import { type MarkupNode, parseMarkdown } from './markdown.ts';
import type { MessageView } from './shown-message.ts';

type Rendered = TemplateResult | string | readonly Rendered[];

export function renderMarkdown(text: string, view: MessageView): readonly Rendered[] {
  return parseMarkdown(text).map((node) => renderNode(node, view));
}

function renderNode(node: MarkupNode, view: MessageView): Rendered {
  if (typeof node === 'string') return renderLines(node);
  const children = 'children' in node ? node.children.map((child) => renderNode(child, view)) : [];
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
      return renderTime(node.at * second, node.style, view);
    case 'command':
      return html`<discord-mention type="slash">${node.name}</discord-mention>`;
    default:
      return html`<discord-mention type=${node.kind}>${view.nameOf(node) ?? `unknown-${node.kind}`}</discord-mention>`;
  }
}

function renderLines(text: string): Rendered {
  return text.split('\n').map((line, index) => (index > 0 ? html`<br>${line}` : line));
}

function renderTime(at: number, style: string, { locale, now }: MessageView): Rendered {
  if (Number.isNaN(new Date(at).getTime())) return 'Invalid date';
  if (style === 'R') return html`<discord-time>${relativeTime(at, now(), locale)}</discord-time>`;
  const [iso, title] = [new Date(at).toISOString(), formatTime(at, 'F', locale)];
  return html`<discord-time><time datetime=${iso} title=${title}>${formatTime(at, style, locale)}</time></discord-time>`;
}

/**
 * A relative time such as "in 3 hours", which {@link updateRelativeTimes} keeps up to date. Both in ms since the epoch.
 *
 * @param locale the default is the browser's
 */
export function relativeTime(at: number, now: number, locale?: string): TemplateResult {
  const iso = new Date(at).toISOString();
  const text = formatRelative(at, now, locale);
  return html`<time datetime=${iso} title=${formatTime(at, 'F', locale)} data-relative=${at} data-locale=${locale ?? nothing} .textContent=${text}></time>`;
}

/** Updates every relative time on the page. @param now ms since the epoch */
export function updateRelativeTimes(now: number): void {
  for (const node of document.querySelectorAll<HTMLElement>('time[data-relative]')) {
    const { relative, locale } = node.dataset;
    const text = formatRelative(Number(relative), now, locale);
    if (node.textContent !== text) node.textContent = text;
  }
}
