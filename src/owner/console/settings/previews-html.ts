import { type Html, html } from '@tallyhook/platform/web/html';
import type { TimeStyle } from '@tallyhook/platform/web/time-element';
import type { PageScript } from 'local-discord/messages';
import {
  type AnnouncementPreview,
  sampleIcon,
  sampleNames,
  textsOf,
} from '../../../core/announcements/announcement.ts';
import type { Panel, Reply } from '../../../discord/commands/reply.ts';
import { isPanel, renderMessage } from '../../../discord/rendering/message.ts';
import type { Texts } from '../../../texts/texts.ts';
import type { NameBook } from '../../names.ts';
import { inlineMarkup, markupHtml } from './markup-html.ts';

/** Drawn by the script of the page: a message as it is posted, and what it mentions. */
export interface DrawnMessage {
  readonly message: ReturnType<typeof renderMessage>;
  readonly names: Readonly<Record<string, string>>;
  readonly locale: string;
  readonly now: number;
  /** The name of the bot. */
  readonly sender: string;
  /** Pictures in place of samples, by the sample's URL: addresses relative to that of the console. */
  readonly pictures: Readonly<Record<string, string>>;
}

interface PreviewView {
  /** The guild whose picture is shown; null for one without. */
  readonly iconOf: string | null;
  readonly sender: string;
  readonly names: NameBook;
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
  const { texts, announced, now, sender, iconOf } = view;
  const names: NameBook = {
    ...view.names,
    member: (id) => sampleNames.get(id ?? '') ?? view.names.member(id),
    role: (id) => sampleNames.get(id) ?? view.names.role(id),
  };
  return html`${previews.map(({ subject, reply }) => {
    const message = renderMessage(isPanel(reply) ? reply : [reply], null);
    const drawn: DrawnMessage = {
      message,
      names: namesIn(JSON.stringify(message), names),
      locale: announced.locale,
      now,
      sender,
      pictures: iconOf === null ? {} : { [sampleIcon]: `servers/${iconOf}/pictures/server` },
    };
    return html`<article class="preview" data-message="${JSON.stringify(drawn)}"><h3>${texts.text(`console.previews.${subject}`)}</h3>
<div class="text" lang="${announced.locale}" dir="auto">${plainHtml(reply, names, { ...texts, locale: announced.locale })}</div></article>`;
  })}`;
}

/** A message as text alone: a link, which would lead to the sample's page, is its label. */
function plainHtml(reply: Reply | Panel, names: NameBook, style: TimeStyle): Html {
  const blocks = 'kind' in reply ? reply.blocks : [];
  const buttons =
    'kind' in reply ? blocks.flatMap((block) => ('buttons' in block ? block.buttons : [])) : (reply.buttons ?? []);
  const withoutLinks = (text: string) => text.replace(/\[([^[\]\n]{1,200})\]\(https?:[^()\s]{1,512}\)/g, '$1');
  const title = reply.title === undefined ? null : inlineMarkup(withoutLinks(reply.title), names, style);
  return html`${title && html`<p><strong>${title}</strong></p>`}${textsOf(reply).map((text) => markupHtml(withoutLinks(text), names, style))}${
    buttons.length > 0 &&
    html`<p class="line">${buttons.map(({ label }) => html`<span class="mark plain">${label}</span> `)}</p>`
  }`;
}

function namesIn(text: string, names: NameBook): Record<string, string> {
  const mentions = [...text.matchAll(/<(@&|@|#)(\d{1,20})>/g)].map(([, sign, id = '']) => {
    const name = sign === '@&' ? names.role(id) : sign === '#' ? names.channel(id) : names.member(id);
    return [id, name ?? id] as const;
  });
  return Object.fromEntries(mentions);
}

/** Shows announcements as Discord does, beside forms as soon as something is entered. */
export const previewScript: PageScript = {
  source: () => new URL('../browser/previews.ts', import.meta.url),
  built: () => new URL('./public/previews.js', import.meta.url),
};
