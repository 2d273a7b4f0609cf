import { type Html, html } from '@tallyhook/platform/web/html';
import { type AnnouncementPreview, sampleNames, textsOf } from '../../../core/announcements/announcement.ts';
import type { Panel, Reply } from '../../../discord/commands/reply.ts';
import { renderMessage } from '../../../discord/rendering/message.ts';
import type { Texts } from '../../../texts/texts.ts';
import type { NameBook } from '../../names.ts';
import { inlineMarkup, markupHtml } from '../settings/markup-html.ts';

/** What the script of the page draws: a message as it is posted, and what it mentions. */
export interface DrawnMessage {
  readonly message: ReturnType<typeof renderMessage>;
  /** By id. */
  readonly names: Readonly<Record<string, string>>;
  /** Of the announcement. */
  readonly locale: string;
  /** ms since the epoch. */
  readonly now: number;
}

export interface PreviewView {
  readonly names: NameBook;
  /** Those of the page, and of the announcements. */
  readonly texts: Texts;
  readonly announced: Texts;
  readonly now: number;
}

/** Loads what draws the previews. @param base the relative URL of the whole console */
export function previewAssets(base: string): Html {
  return html`<link rel="stylesheet" href="${base}messages.css"><script type="module" src="${base}previews.js"></script>`;
}

/** Announcements as texts, in place of which a browser with JavaScript shows the messages. */
export function previewsHtml(previews: readonly AnnouncementPreview[], view: PreviewView): Html {
  const { texts, announced, now } = view;
  const names: NameBook = {
    ...view.names,
    member: (id) => sampleNames.get(id ?? '') ?? view.names.member(id),
    role: (id) => sampleNames.get(id) ?? view.names.role(id),
  };
  return html`${previews.map(({ subject, reply }) => {
    const message = renderMessage([reply], null);
    const drawn: DrawnMessage = {
      message,
      names: namesIn(JSON.stringify(message), names),
      locale: announced.locale,
      now,
    };
    return html`<article class="preview" data-message="${JSON.stringify(drawn)}"><h3>${texts.text(`console.previews.${subject}`)}</h3>
<div class="text" lang="${announced.locale}" dir="auto">${plainHtml(reply, names, announced.locale)}</div></article>`;
  })}`;
}

/** As text alone: a link, which would lead to the sample's page, is its label. */
function plainHtml(reply: Reply | Panel, names: NameBook, locale: string): Html {
  const blocks = 'kind' in reply ? reply.blocks : [];
  const buttons =
    'kind' in reply ? blocks.flatMap((block) => ('buttons' in block ? block.buttons : [])) : (reply.buttons ?? []);
  const withoutLinks = (text: string) => text.replace(/\[([^[\]\n]{1,200})\]\(https?:[^()\s]{1,512}\)/g, '$1');
  const title = reply.title === undefined ? null : inlineMarkup(withoutLinks(reply.title), names, locale);
  return html`${title && html`<p><strong>${title}</strong></p>`}${textsOf(reply).map((text) => markupHtml(withoutLinks(text), names, locale))}${
    buttons.length > 0 &&
    html`<p class="line">${buttons.map(({ label }) => html`<span class="mark plain">${label}</span> `)}</p>`
  }`;
}

/** The names of what a message mentions. */
function namesIn(text: string, names: NameBook): Record<string, string> {
  const mentions = [...text.matchAll(/<(@&|@|#)(\d{1,20})>/g)].map(([, sign, id = '']) => {
    const name = sign === '@&' ? names.role(id) : sign === '#' ? names.channel(id) : names.member(id);
    return [id, name ?? id] as const;
  });
  return Object.fromEntries(mentions);
}
