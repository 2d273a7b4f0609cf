import type { Message } from '../../discord/objects.ts';
import { fitPicture, localPath } from './attachments.ts';
import { element } from './element.ts';
import { formatTime } from './format-time.ts';
import { plainText } from './markdown.ts';
import { renderMarkdown } from './render-markdown.ts';
import { localeOf, type State } from './store.ts';

type Embed = Message['embeds'][number];
type Field = NonNullable<Embed['fields']>[number];

/** Maximum number of inline fields in a row. */
const maxColumns = 3;

/** An embed. Shows only images from the local Discord: the page never loads external URLs. */
export function embedCard(embed: Embed, state: State): HTMLElement {
  const { title, description, author, fields, color, url } = embed;
  const card = element('discord-embed', {
    slot: 'embeds',
    color: color == null ? null : `#${color.toString(16).padStart(6, '0')}`,
    'author-name': author && toTitleText(author.name),
    'author-url': author?.url,
    'embed-title': title && toTitleText(title),
    url,
    thumbnail: localPath(embed.thumbnail?.url),
    image: localPath(embed.image?.url),
  });
  card.embedEmojisMap = Object.create(null);
  if (embed.image) void adjustImage(card, embed.image);
  if (description) {
    card.append(element('discord-embed-description', { slot: 'description' }, renderMarkdown(description, state)));
  }
  if (fields?.length) {
    const columns = inlineColumns(fields);
    const elements = fields.map((each, index) => fieldElement(each, columns[index] ?? null, state));
    card.append(element('discord-embed-fields', { slot: 'fields' }, ...elements));
  }
  const footer = footerElement(embed, localeOf(state));
  if (footer !== null) card.append(footer);
  return card;
}

/** Discord's largest size of the picture of an embed (pixels). */
const largestPicture = { width: 400, height: 300 };

/** The component draws its content later, with a fixed alt text, and images smaller than Discord does. */
async function adjustImage(
  card: HTMLElementTagNameMap['discord-embed'],
  { description, width, height }: NonNullable<Embed['image']>,
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

function fieldElement({ name, value }: Field, column: number | null, state: State): HTMLElement {
  const attributes = { 'field-title': toTitleText(name), inline: column !== null, 'inline-index': column };
  const field = element('discord-embed-field', attributes, renderMarkdown(value, state));
  field.embedFieldEmojisMap = Object.create(null);
  return field;
}

/** The column of each inline field, from 1; null for a field that takes a whole row. */
function inlineColumns(fields: readonly Field[]): readonly (number | null)[] {
  let column = 0;
  return fields.map(({ inline }) => {
    column = inline ? (column % maxColumns) + 1 : 0;
    return column === 0 ? null : column;
  });
}

function footerElement({ footer, timestamp }: Embed, locale: string): HTMLElement | null {
  const at = timestamp ? formatTime(Date.parse(timestamp), 'f', locale) : null;
  if (!footer && at === null) return null;
  return element('discord-embed-footer', { slot: 'footer', timestamp: footer && at }, footer?.text ?? at);
}

/**
 * Titles of the component have no markup. It would load `<:emoji:…>` from Discord's CDN, so the pattern is broken with a zero-width
 * space; its emoji maps have no prototype, so that a word such as "constructor" is not taken for an emoji.
 */
function toTitleText(text: string): string {
  return plainText(text).replaceAll(/<(?=a?:\w)/g, '<\u200b');
}
