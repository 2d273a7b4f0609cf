import { ref } from 'lit/directives/ref.js';
import { minute } from '../../../platform/durations.ts';
import { messageFlag } from '../../discord/flags.ts';
import { type Message, textsOf, type User } from '../../discord/objects.ts';
import { makeDismissFocusable } from './discord-components.ts';
import { html, nothing, type TemplateResult, toElement } from './element.ts';
import { formatMessageTime, formatTime } from './format-time.ts';
import { attachmentCards, componentElements, fitPicture, localPath, pictureSource } from './layout.ts';
import { plainText } from './markdown.ts';
import { avatarUrl } from './profile.ts';
import { renderMarkdown } from './render-markdown.ts';
import { localeOf, type PendingAction, type State } from './store.ts';

/** Messages of one author within this time are grouped under one name (ms). */
const groupingMs = 7 * minute;

export interface MessageActions {
  readonly useComponent: (message: Message, customId: string, values?: readonly string[]) => void;
  readonly dismiss: (id: string) => void;
}

/** Display options of a message. */
interface MessageDisplay {
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
  const timestamp = isContinued ? formatTime(at, 't', locale) : formatMessageTime(at, state.clock.now(), locale);
  const context = {
    state,
    isBusy,
    useComponent: (customId: string, values?: readonly string[]) => actions.useComponent(message, customId, values),
  };
  const content = [
    message.interaction ? commandHeader(message.interaction, state) : nothing,
    contentTemplate(message, state),
    attachmentCards(message),
    message.embeds.map((embed) => embedCard(embed, state)),
    componentElements(message.components, context),
    pendingAction?.failed ? html`<p class="failure" slot="components">This interaction failed</p>` : nothing,
  ];
  const { author } = message;
  const name = nameOf(author, state);
  const isEdited = message.edited_timestamp !== null && message.content !== '';
  const dismiss = () => actions.dismiss(message.id);
  return toElement(
    html`<discord-message role="article" author=${name} avatar=${avatarUrl(author.id, name)} ?bot=${author.bot} data-message-id=${message.id} timestamp=${timestamp} ?ephemeral=${isEphemeral(message)} ?edited=${isEdited} ?message-body-only=${isContinued} .dismissMessageClicked=${dismiss} ${ref(makeDismissFocusable)}>${content}</discord-message>`,
  );
}

/** The element of a pending or failed command. */
export function pendingElement(id: string, action: PendingAction, state: State, actions: MessageActions): HTMLElement {
  const { bot } = state;
  const name = nameOf(bot, state);
  const dismiss = () => actions.dismiss(id);
  const header = commandHeader({ name: action.name ?? '', user: { id: action.userId } }, state);
  const text = action.failed
    ? html`<p class="failure">The application did not respond</p>`
    : html`<p class="thinking">Sending command${dots}</p>`;
  return toElement(
    html`<discord-message role="article" class="pending" author=${name} avatar=${avatarUrl(bot.id, name)} bot timestamp="" ?ephemeral=${action.failed} .dismissMessageClicked=${dismiss} ${ref(makeDismissFocusable)}>${header}${text}</discord-message>`,
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

type Author = Pick<User, 'id'> & Partial<Pick<User, 'username' | 'global_name'>> & { readonly name?: string };

function contentTemplate(message: Message, state: State): TemplateResult | typeof nothing {
  if ((message.flags & messageFlag.loading) !== 0) {
    return html`<p class="thinking">${message.author.username} is thinking${dots}</p>`;
  }
  return message.content ? html`<div class="content">${renderMarkdown(message.content, state)}</div>` : nothing;
}

function commandHeader({ name, user }: { name: string; user: Author }, state: State): TemplateResult {
  const author = nameOf(user, state);
  const avatar = avatarUrl(user.id, author);
  return html`<discord-command slot="reply" author=${author} avatar=${avatar} command="/${name}"></discord-command>`;
}

const dots = html`<span class="dots" aria-hidden="true">…</span>`;

function isEphemeral({ flags }: Message): boolean {
  return (flags & messageFlag.ephemeral) !== 0;
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
function embedCard(embed: Embed, state: State): TemplateResult {
  const { title, description, author, fields, color, url } = embed;
  const columns = inlineColumns(fields ?? []);
  const parts = [
    description
      ? html`<discord-embed-description slot="description">${renderMarkdown(description, state)}</discord-embed-description>`
      : nothing,
    fields?.length
      ? html`<discord-embed-fields slot="fields">${fields.map((each, index) => fieldTemplate(each, columns[index] ?? null, state))}</discord-embed-fields>`
      : nothing,
    footerTemplate(embed, localeOf(state)),
  ];
  const adjust = (card?: Element) => {
    if (card && embed.image) void adjustImage(card as HTMLElementTagNameMap['discord-embed'], embed.image);
  };
  return html`<discord-embed
    slot="embeds"
    color=${color == null ? nothing : `#${color.toString(16).padStart(6, '0')}`}
    author-name=${author ? toTitleText(author.name) : nothing}
    author-image=${pictureSource(author?.icon_url ?? undefined, author?.name ?? '') ?? nothing}
    author-url=${author?.url ?? nothing}
    embed-title=${title ? toTitleText(title) : nothing}
    url=${url ?? nothing}
    thumbnail=${pictureSource(embed.thumbnail?.url, state.guild.name) ?? nothing}
    image=${localPath(embed.image?.url) ?? nothing}
    .embedEmojisMap=${Object.create(null)}
    ${ref(adjust)}>${parts}</discord-embed>`;
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

function fieldTemplate({ name, value }: Field, column: number | null, state: State): TemplateResult {
  return html`<discord-embed-field field-title=${toTitleText(name)} ?inline=${column !== null} inline-index=${column ?? nothing} .embedFieldEmojisMap=${Object.create(null)}>${renderMarkdown(value, state)}</discord-embed-field>`;
}

/** The column of each inline field, from 1; null for a field that takes a whole row. */
function inlineColumns(fields: readonly Field[]): readonly (number | null)[] {
  let column = 0;
  return fields.map(({ inline }) => {
    column = inline ? (column % maxColumns) + 1 : 0;
    return column === 0 ? null : column;
  });
}

function footerTemplate({ footer, timestamp }: Embed, locale: string): TemplateResult | typeof nothing {
  const at = timestamp ? formatTime(Date.parse(timestamp), 'f', locale) : null;
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
