import { minute } from '../../../platform/durations.ts';
import { textsOf } from '../../discord/normalized-components.ts';
import type { Message, User } from '../../discord/objects.ts';
import { attachmentCards, fitPicture, localPath } from './attachments.ts';
import { avatarUrl } from './avatar.ts';
import { makeDismissFocusable } from './discord-components.ts';
import { element } from './element.ts';
import { formatMessageTime, formatTime } from './format-time.ts';
import { componentElements } from './layout.ts';
import { plainText } from './markdown.ts';
import { renderMarkdown } from './render-markdown.ts';
import { localeOf, type PendingAction, type State } from './store.ts';

/** Discord: "Message Flags". */
const flag = { ephemeral: 1 << 6, loading: 1 << 7 };

/** Messages of one author within this time are grouped under one name (ms). */
const groupingMs = 7 * minute;

export interface MessageActions {
  readonly useComponent: (message: Message, customId: string, values?: readonly string[]) => void;
  readonly dismiss: (id: string) => void;
}

/** Display options of a message. */
export interface MessageDisplay {
  /** Whether it is grouped with the previous message. */
  readonly isContinued: boolean;
  /** A pending or failed use of its components. */
  readonly pendingAction: PendingAction | undefined;
}

/** The element of a message. */
export function messageElement(
  message: Message,
  display: MessageDisplay,
  state: State,
  actions: MessageActions,
): HTMLElement {
  const { isContinued, pendingAction } = display;
  const isBusy = pendingAction !== undefined && !pendingAction.failed;
  const at = Date.parse(message.timestamp);
  const locale = localeOf(state);
  return messageFrame(
    message.author,
    state,
    {
      'data-message-id': message.id,
      timestamp: isContinued ? formatTime(at, 't', locale) : formatMessageTime(at, state.clock.now(), locale),
      ephemeral: isEphemeral(message),
      edited: message.edited_timestamp !== null && message.content !== '',
      'message-body-only': isContinued,
    },
    () => actions.dismiss(message.id),
    message.interaction ? commandHeader(message.interaction, state) : null,
    contentElement(message, state),
    attachmentCards(message),
    ...message.embeds.map((embed) => embedCard(embed, state)),
    ...componentElements(message.components, {
      state,
      isBusy,
      useComponent: (customId, values) => actions.useComponent(message, customId, values),
    }),
    pendingAction?.failed ? element('p', { class: 'failure', slot: 'components' }, 'This interaction failed') : null,
  );
}

/** The element of a pending or failed command. */
export function pendingElement(id: string, action: PendingAction, state: State, actions: MessageActions): HTMLElement {
  const text = action.failed
    ? element('p', { class: 'failure' }, 'The application did not respond')
    : element('p', { class: 'thinking' }, 'Sending command', dots());
  return messageFrame(
    { ...state.bot, bot: true },
    state,
    { timestamp: '', ephemeral: action.failed, class: 'pending' },
    () => actions.dismiss(id),
    commandHeader({ name: action.name ?? '', user: { id: action.userId } }, state),
    text,
  );
}

/** Whether Discord groups it with the previous message. */
export function isContinuation(message: Message, previous: Message | undefined): boolean {
  if (previous === undefined || message.interaction || isEphemeral(message) || isEphemeral(previous)) return false;
  const gapMs = Date.parse(message.timestamp) - Date.parse(previous.timestamp);
  return message.author.id === previous.author.id && gapMs < groupingMs;
}

/** A message as one line for screen readers. */
export function announcementText(message: Message): string {
  const embeds = message.embeds.map(({ title, description }) => [title, description].filter(Boolean).join(': '));
  const text = [message.content, ...embeds, ...textsOf(message.components)].filter(Boolean).join('. ');
  return `${message.author.username}: ${text.replaceAll(/<[^<>]*>|[*_`~|#\\]/g, '').slice(0, 300)}`;
}

type Author = Pick<User, 'id'> & Partial<Pick<User, 'username' | 'global_name' | 'bot'>> & { readonly name?: string };

function messageFrame(
  author: Author,
  state: State,
  attributes: Readonly<Record<string, string | boolean>>,
  dismiss: () => void,
  ...children: readonly (Node | null)[]
): HTMLElement {
  const name = nameOf(author, state);
  const all = { role: 'article', author: name, avatar: avatarUrl(author.id, name), bot: Boolean(author.bot) };
  const node = element('discord-message', { ...all, ...attributes }, ...children);
  node.dismissMessageClicked = dismiss;
  return makeDismissFocusable(node);
}

function contentElement(message: Message, state: State): HTMLElement | null {
  if ((message.flags & flag.loading) !== 0) {
    return element('p', { class: 'thinking' }, `${message.author.username} is thinking`, dots());
  }
  return message.content ? element('div', { class: 'content' }, renderMarkdown(message.content, state)) : null;
}

function commandHeader({ name, user }: { name: string; user: Author }, state: State): HTMLElement {
  const author = nameOf(user, state);
  const avatar = avatarUrl(user.id, author);
  return element('discord-command', { slot: 'reply', author, avatar, command: `/${name}` });
}

function dots(): HTMLElement {
  return element('span', { class: 'dots', 'aria-hidden': 'true' }, '…');
}

function isEphemeral({ flags }: Message): boolean {
  return (flags & flag.ephemeral) !== 0;
}

function nameOf(user: Author, { members }: State): string {
  const member = members.find(({ id }) => id === user.id);
  return member?.name ?? user.global_name ?? user.username ?? user.name ?? 'unknown user';
}

type Embed = Message['embeds'][number];
type Field = NonNullable<Embed['fields']>[number];

/** Maximum number of inline fields in a row. */
const maxColumns = 3;

/** An embed. Shows only images from the local Discord: the page never loads external URLs. */
function embedCard(embed: Embed, state: State): HTMLElement {
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
