import { DiscordCommand } from '@skyra/discord-components-core/discord-command.js';
import { minute } from '@tallyhook/platform/durations';
import { ref } from 'lit/directives/ref.js';
import { messageType } from '../../flags.ts';
import { type Message, textsOf, type User } from '../../objects.ts';
import { addStyles, makeDismissFocusable } from '../../web/browser/discord-components.ts';
import { dots, isEphemeral, type MessageDisplay } from '../../web/browser/message.ts';
import { html, nothing, type TemplateResult, toElement } from './element.ts';
import { pictureOf } from './profile.ts';
import type { PendingAction, State } from './store.ts';

/** Messages of one author within this time are grouped under one name (ms). */
const groupingMs = 7 * minute;

/** How the page shows a message. @param pendingAction a pending or failed use of its components */
export function messageDisplay(
  { author, interaction, type }: Message,
  { isContinued, pendingAction }: { readonly isContinued: boolean; readonly pendingAction: PendingAction | undefined },
  state: State,
): MessageDisplay {
  const name = nameOf(author, state);
  return {
    author: { name, avatar: pictureOf(author.id, name, state) },
    header: interaction ? commandHeader(shownCommand(interaction, type), state) : nothing,
    isContinued,
    isBusy: pendingAction !== undefined && !pendingAction.failed,
    hasFailed: pendingAction?.failed === true,
  };
}

/** A message with the text that Discord's client has for its type. */
export function shownMessage(message: Message): Message {
  if (message.type !== messageType.threadCreated) return message;
  return { ...message, content: `Started a thread: <#${message.message_reference?.channel_id}>` };
}

/** The element of a pending or failed command. */
export function pendingElement(action: PendingAction, state: State, dismiss: () => void): HTMLElement {
  const { bot } = state;
  const name = nameOf(bot, state);
  const header = commandHeader({ name: action.name ?? '', user: { id: action.userId } }, state);
  const text = action.failed
    ? html`<p class="failure">The application did not respond</p>`
    : html`<p class="thinking">Sending command${dots}</p>`;
  return toElement(
    html`<discord-message role="article" class="pending" author=${name} avatar=${pictureOf(bot.id, name, state)} bot timestamp="" ?ephemeral=${action.failed} .dismissMessageClicked=${dismiss} ${ref(makeDismissFocusable)}>${header}${text}</discord-message>`,
  );
}

/** True if Discord groups it with the previous message. */
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

/** A command with its slash, which one in a menu has not. */
function shownCommand({ name, user }: NonNullable<Message['interaction']>, type: number) {
  return { name: type === messageType.menuCommand ? name : `/${name}`, user };
}

function commandHeader({ name, user }: { name: string; user: Author }, state: State): TemplateResult {
  const author = nameOf(user, state);
  const avatar = pictureOf(user.id, author, state);
  return html`<discord-command slot="reply" author=${author} avatar=${avatar} command=${name}></discord-command>`;
}

function nameOf(user: Author, { members }: State): string {
  const member = members.find(({ id }) => id === user.id);
  return member?.name ?? user.global_name ?? user.username ?? user.name ?? 'unknown user';
}

/** Before the first command is shown. */
export function styleCommands(): void {
  addStyles(
    DiscordCommand,
    `:host { color: var(--muted); }
    .discord-replied-message-username { color: var(--text) !important; opacity: 1; }
    :host .discord-slash-command-name { background: var(--mention-ground); color: var(--mention-text) !important; }`,
  );
}
