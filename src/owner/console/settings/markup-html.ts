import { type Html, html } from '@tallyhook/platform/web/html';
import { dateTime, isTime, type TimeStyle } from '@tallyhook/platform/web/time-element';
import type { NameBook } from '../../names.ts';
import { visible } from '../cells.ts';

/** Discord's markup that the program's texts use, and that people can write into their own. */
const tokens =
  /\\([\\*_`~|<>[\]()#@:.+!-])|`([^`\n]+)`|\*\*([^*\n]{1,2000})\*\*|\*([^*\n]{1,500})\*|\[([^[\]\n]{1,200})\]\((https?:\/\/[^()[\]\s]{1,512})\)|<@!?(\w{1,20})>|<@&(\d{1,20})>|<#(\d{1,20})>|<t:(-?\d{1,13})(?::\w)?>/g;

/** A text in Discord's markup as a part of a page: lines, bold, small and code; names in place of mentions. */
export function markupHtml(text: string, names: NameBook, style?: TimeStyle): Html {
  // Between two fences is a block of code.
  const parts = text.split('```');
  return html`${parts.map((part, index) =>
    index % 2 === 1 && index < parts.length - 1
      ? html`<code class="copy">${visible(part.trim())}</code>`
      : part.split('\n').map((line) => lineHtml(line, names, style)),
  )}`;
}

function lineHtml(line: string, names: NameBook, style: TimeStyle | undefined): Html | null {
  if (line.trim() === '') return null;
  const [, heading] = /^#{1,3} (.+)/.exec(line) ?? [];
  if (heading !== undefined) return html`<p dir="auto"><strong>${inlineMarkup(heading, names, style)}</strong></p>`;
  return line.startsWith('-# ')
    ? html`<p class="quiet" dir="auto">${inlineMarkup(line.slice(3), names, style)}</p>`
    : html`<p dir="auto">${inlineMarkup(line, names, style)}</p>`;
}

/** A text of one line, such as a title. */
export function inlineMarkup(text: string, names: NameBook, style?: TimeStyle): Html {
  const parts: Html[] = [];
  let end = 0;
  for (const match of text.matchAll(tokens)) {
    parts.push(plain(text.slice(end, match.index)), token(match, names, style));
    end = match.index + match[0].length;
  }
  parts.push(plain(text.slice(end)));
  return html`${parts}`;
}

function token(match: RegExpExecArray, names: NameBook, style: TimeStyle | undefined): Html {
  const [all, escaped, code, bold, italic, label, url, member, role, channel, seconds] = match;
  if (escaped !== undefined) return plain(escaped);
  if (code !== undefined) return html`<code>${visible(code)}</code>`;
  if (bold !== undefined) return html`<strong>${inlineMarkup(bold, names, style)}</strong>`;
  if (italic !== undefined) return html`<em>${inlineMarkup(italic, names, style)}</em>`;
  if (label !== undefined && url !== undefined)
    return html`<a href="${url}" rel="noreferrer">${inlineMarkup(label, names, style)}</a>`;
  if (member !== undefined) return mention('@', member, names.member(member));
  if (role !== undefined) return mention('@', role, names.role(role));
  if (channel !== undefined) return mention('#', channel, names.channel(channel));
  const at = Number(seconds) * 1_000;
  return isTime(at) ? dateTime(at, style) : plain(all);
}

function mention(sign: string, id: string, name: string | null): Html {
  return html`<bdi class="mention" title="${id}">${sign}${visible(name ?? id)}</bdi>`;
}

function plain(text: string): Html {
  return html`${visible(text)}`;
}
