import type { Message, User } from '../../discord/objects.ts';
import { attachmentCards } from './attachments.ts';
import { avatarUrl } from './avatar.ts';
import { componentRows } from './components.ts';
import { reachable } from './discord-components.ts';
import { element } from './element.ts';
import { embedCard } from './embed.ts';
import { formatted } from './formatted.ts';
import { formatMoment, formatTime } from './moments.ts';
import { sandboxNow } from './sandbox-time.ts';
import type { State, Use } from './store.ts';

/** Discord: "Message Flags". */
const flag = { ephemeral: 1 << 6, loading: 1 << 7 };

/** Messages of the same author that follow each other within this time stand under one name (ms). */
const together = 7 * 60_000;

export interface MessageActions {
  readonly press: (message: Message, customId: string, values?: readonly string[]) => void;
  readonly dismiss: (id: string) => void;
}

/** How a message is shown, beside what it holds. */
export interface Shown {
  /** It stands below another one of the same author. */
  readonly isContinued: boolean;
  /** A use of its buttons that is on its way, or that failed. */
  readonly waiting: Use | undefined;
}

/** A message as Discord shows it. */
export function messageElement(message: Message, shown: Shown, state: State, on: MessageActions): HTMLElement {
  const { isContinued, waiting } = shown;
  const isBusy = waiting !== undefined && !waiting.failed;
  const at = Date.parse(message.timestamp);
  return frame(
    message.author,
    state,
    {
      'data-message-id': message.id,
      timestamp: isContinued ? formatTime(at, 't') : formatMoment(at, sandboxNow()),
      ephemeral: isEphemeral(message),
      edited: message.edited_timestamp !== null && message.content !== '',
      'message-body-only': isContinued,
    },
    () => on.dismiss(message.id),
    message.interaction ? usedCommand(message.interaction, state) : null,
    words(message, state),
    attachmentCards(message),
    ...message.embeds.map((embed) => embedCard(embed, state)),
    ...componentRows(message, { state, isBusy, press: (customId, values) => on.press(message, customId, values) }),
    waiting?.failed ? element('p', { class: 'failure', slot: 'components' }, 'This interaction failed') : null,
  );
}

/** A command that is on its way, or that the bot never answered. */
export function pendingElement(id: string, use: Use, state: State, on: MessageActions): HTMLElement {
  const text = use.failed
    ? element('p', { class: 'failure' }, 'The application did not respond')
    : element('p', { class: 'thinking' }, 'Sending command', dots());
  return frame(
    { ...state.bot, bot: true },
    state,
    { timestamp: '', ephemeral: use.failed, class: 'pending' },
    () => on.dismiss(id),
    usedCommand({ name: use.name ?? '', user: { id: use.userId } }, state),
    text,
  );
}

/** Whether Discord would show it without a head of its own. */
export function continues(message: Message, before: Message | undefined): boolean {
  if (before === undefined || message.interaction || isEphemeral(message) || isEphemeral(before)) return false;
  const apart = Date.parse(message.timestamp) - Date.parse(before.timestamp);
  return message.author.id === before.author.id && apart < together;
}

/** What a message says, in one line, for those who do not see it. */
export function spokenText(message: Message): string {
  const embeds = message.embeds.map(({ title, description }) => [title, description].filter(Boolean).join(': '));
  const text = [message.content, ...embeds].filter(Boolean).join('. ');
  return `${message.author.username}: ${text.replaceAll(/<[^<>]*>|[*_`~|#\\]/g, '').slice(0, 300)}`;
}

type Author = Pick<User, 'id'> & Partial<Pick<User, 'username' | 'global_name' | 'bot'>> & { readonly name?: string };

function frame(
  author: Author,
  state: State,
  attributes: Readonly<Record<string, string | boolean>>,
  dismiss: () => void,
  ...children: readonly (Node | null)[]
): HTMLElement {
  const name = nameOf(author, state);
  const all = { role: 'article', author: name, avatar: avatarUrl(author.id, name), bot: Boolean(author.bot) };
  const made = element('discord-message', { ...all, ...attributes }, ...children);
  made.dismissMessageClicked = dismiss;
  return reachable(made);
}

function words(message: Message, state: State): HTMLElement | null {
  if ((message.flags & flag.loading) !== 0) {
    return element('p', { class: 'thinking' }, `${message.author.username} is thinking`, dots());
  }
  return message.content ? element('div', { class: 'content' }, formatted(message.content, state)) : null;
}

function usedCommand({ name, user }: { name: string; user: Author }, state: State): HTMLElement {
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
  const known = members.find(({ id }) => id === user.id);
  return known?.name ?? user.global_name ?? user.username ?? user.name ?? 'somebody';
}
