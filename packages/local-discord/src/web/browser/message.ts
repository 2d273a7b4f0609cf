import { ref } from 'lit/directives/ref.js';
import { messageFlag } from '../../message-flags.ts';
import { makeDismissFocusable } from './discord-components.ts';
import { html, nothing, type TemplateResult, toElement } from './element.ts';
import { formatMessageTime, formatTime } from './format-time.ts';
import { attachmentCards, componentElements, fitPicture } from './layout.ts';
import { plainText } from './markdown.ts';
import { renderMarkdown } from './render-markdown.ts';
import type { MessageView, ShownEmbed, ShownMessage } from './shown-message.ts';

export interface MessageActions {
  readonly useComponent: (customId: string, values?: readonly string[]) => void;
  readonly dismiss: () => void;
}

export interface MessageDisplay {
  readonly author: { readonly name: string; readonly avatar: string };
  /** The line above the message, such as the command that it answers. */
  readonly header: TemplateResult | typeof nothing;
  /** True if it is grouped with the previous message. */
  readonly isContinued: boolean;
  /** True if a use of its components is pending, or has failed. */
  readonly isBusy: boolean;
  readonly hasFailed: boolean;
}

export function messageElement(
  message: ShownMessage,
  { author, header, isContinued, isBusy, hasFailed }: MessageDisplay,
  view: MessageView,
  { useComponent, dismiss }: MessageActions,
): HTMLElement {
  const at = Date.parse(message.timestamp);
  const { locale } = view;
  const timestamp = isContinued ? formatTime(at, 't', locale) : formatMessageTime(at, view.now(), locale);
  const content = [
    header,
    contentTemplate(message, view),
    attachmentCards(message, view),
    message.embeds.map((embed) => embedCard(embed, view)),
    componentElements(message.components, { view, isBusy, useComponent }),
    hasFailed ? html`<p class="failure" slot="components">This interaction failed</p>` : nothing,
  ];
  const isEdited = message.edited_timestamp !== null && message.content !== '';
  return toElement(
    html`<discord-message role="article" author=${author.name} avatar=${author.avatar} ?bot=${message.author.bot} data-message-id=${message.id} timestamp=${timestamp} ?ephemeral=${isEphemeral(message)} ?edited=${isEdited} ?message-body-only=${isContinued} .dismissMessageClicked=${dismiss} ${ref(makeDismissFocusable)}>${content}</discord-message>`,
  );
}

function contentTemplate(message: ShownMessage, view: MessageView): TemplateResult | typeof nothing {
  if ((message.flags & messageFlag.loading) !== 0) {
    return html`<p class="thinking">${message.author.username} is thinking${dots}</p>`;
  }
  return message.content ? html`<div class="content">${renderMarkdown(message.content, view)}</div>` : nothing;
}

export const dots = html`<span class="dots" aria-hidden="true">…</span>`;

export function isEphemeral({ flags }: Pick<ShownMessage, 'flags'>): boolean {
  return (flags & messageFlag.ephemeral) !== 0;
}

type Field = NonNullable<ShownEmbed['fields']>[number];

/** Maximum number of inline fields in a row. */
const maxColumns = 3;

function embedCard(embed: ShownEmbed, view: MessageView): TemplateResult {
  const { title, description, author, fields, color, url } = embed;
  const columns = inlineColumns(fields ?? []);
  const pictureAt = (address: string | null | undefined, name?: string) =>
    (address ? view.pictureAt(address, name) : null) ?? nothing;
  const parts = [
    description
      ? html`<discord-embed-description slot="description">${renderMarkdown(description, view)}</discord-embed-description>`
      : nothing,
    fields?.length
      ? html`<discord-embed-fields slot="fields">${fields.map((each, index) => fieldTemplate(each, columns[index] ?? null, view))}</discord-embed-fields>`
      : nothing,
    footerTemplate(embed, view),
  ];
  const adjust = (card?: Element) => {
    if (card && embed.image) void adjustImage(card as HTMLElementTagNameMap['discord-embed'], embed.image);
  };
  return html`<discord-embed
    slot="embeds"
    color=${color == null ? nothing : `#${color.toString(16).padStart(6, '0')}`}
    author-name=${author ? toTitleText(author.name) : nothing}
    author-image=${pictureAt(author?.icon_url, author?.name)}
    author-url=${author?.url ?? nothing}
    embed-title=${title ? toTitleText(title) : nothing}
    url=${url ?? nothing}
    thumbnail=${pictureAt(embed.thumbnail?.url)}
    image=${embed.image ? (view.fileAt(embed.image.url) ?? nothing) : nothing}
    .embedEmojisMap=${Object.create(null)}
    ${ref(adjust)}>${parts}</discord-embed>`;
}

/** Discord's largest size of the picture of an embed (pixels). */
const largestPicture = { width: 400, height: 300 };

/** The component draws its content later, with a fixed alt text, and images smaller than Discord does. */
async function adjustImage(
  card: HTMLElementTagNameMap['discord-embed'],
  { description, width, height }: NonNullable<ShownEmbed['image']>,
): Promise<void> {
  await card.updateComplete;
  const image = card.shadowRoot?.querySelector<HTMLImageElement>('.discord-embed-image');
  if (!image) return;
  image.alt = description ?? '';
  image.style.maxWidth = `min(${largestPicture.width}px, 100%)`;
  if (!width || !height) return;
  const box = fitPicture({ width, height }, largestPicture);
  image.style.width = `${box.width}px`;
  image.style.height = 'auto';
  image.style.aspectRatio = `${box.width} / ${box.height}`;
}

function fieldTemplate({ name, value }: Field, column: number | null, view: MessageView): TemplateResult {
  return html`<discord-embed-field field-title=${toTitleText(name)} ?inline=${column !== null} inline-index=${column ?? nothing} .embedFieldEmojisMap=${Object.create(null)}>${renderMarkdown(value, view)}</discord-embed-field>`;
}

/** The column of each inline field, from 1; null for a field that takes a whole row. */
function inlineColumns(fields: readonly Field[]): readonly (number | null)[] {
  let column = 0;
  return fields.map(({ inline }) => {
    column = inline ? (column % maxColumns) + 1 : 0;
    return column === 0 ? null : column;
  });
}

function footerTemplate({ footer, timestamp }: ShownEmbed, view: MessageView): TemplateResult | typeof nothing {
  const at = timestamp ? formatMessageTime(Date.parse(timestamp), view.now(), view.locale) : null;
  if (!footer && at === null) return nothing;
  const beside = footer && at !== null ? at : nothing;
  return html`<discord-embed-footer slot="footer" timestamp=${beside}>${footer?.text ?? at}</discord-embed-footer>`;
}

/**
 * Titles of the component have no markup. It would load `<:emoji:…>` from Discord's CDN, so the pattern is broken with a zero-width
 * space; its emoji maps have no prototype, so that a word such as "constructor" is not taken for an emoji.
 */
function toTitleText(text: string): string {
  return plainText(text).replaceAll(/<(?=a?:\w)/g, '<\u200b');
}
