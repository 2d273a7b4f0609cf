import type { Message } from '../../discord/objects.ts';
import { ownFile } from './attachments.ts';
import { element } from './element.ts';
import { formatted } from './formatted.ts';
import { plainText } from './markdown.ts';
import { formatTime } from './moments.ts';
import type { State } from './store.ts';

type Embed = Message['embeds'][number];
type Field = NonNullable<Embed['fields']>[number];

/** In a row stand at most this many fields that are inline. */
const columns = 3;

/** A card in a message. Pictures are shown only where they come from this machine: the page asks nothing of the network. */
export function embedCard(embed: Embed, names: State): HTMLElement {
  const { title, description, author, fields, color, url } = embed;
  const card = element('discord-embed', {
    slot: 'embeds',
    color: color == null ? null : `#${color.toString(16).padStart(6, '0')}`,
    'author-name': author && titleText(author.name),
    'author-url': author?.url,
    'embed-title': title && titleText(title),
    url,
    thumbnail: ownFile(embed.thumbnail?.url),
    image: ownFile(embed.image?.url),
  });
  card.embedEmojisMap = Object.create(null);
  if (description) {
    card.append(element('discord-embed-description', { slot: 'description' }, formatted(description, names)));
  }
  if (fields?.length) {
    const places = inlinePlaces(fields);
    const drawn = fields.map((each, index) => fieldOf(each, places[index] ?? null, names));
    card.append(element('discord-embed-fields', { slot: 'fields' }, ...drawn));
  }
  const footer = footerOf(embed);
  if (footer !== null) card.append(footer);
  return card;
}

function fieldOf({ name, value }: Field, place: number | null, names: State): HTMLElement {
  const attributes = { 'field-title': titleText(name), inline: place !== null, 'inline-index': place };
  const field = element('discord-embed-field', attributes, formatted(value, names));
  field.embedFieldEmojisMap = Object.create(null);
  return field;
}

/** In which column each field stands, from 1; null for one that has the row to itself. */
function inlinePlaces(fields: readonly Field[]): readonly (number | null)[] {
  let column = 0;
  return fields.map(({ inline }) => {
    column = inline ? (column % columns) + 1 : 0;
    return column === 0 ? null : column;
  });
}

function footerOf({ footer, timestamp }: Embed): HTMLElement | null {
  const at = timestamp ? formatTime(Date.parse(timestamp), 'f') : null;
  if (!footer && at === null) return null;
  return element('discord-embed-footer', { slot: 'footer', timestamp: footer && at }, footer?.text ?? at);
}

/**
 * A title in the library is a text without markup. What looks like an emoji in it would be fetched from Discord's network, and a word
 * such as "constructor" be taken for one (hence the maps that inherit nothing).
 */
function titleText(text: string): string {
  return plainText(text).replaceAll(/<(?=a?:\w)/g, '<\u200b');
}
