import { avatar } from './avatar.js';
import { componentRows } from './components.js';
import { element } from './element.js';
import { embedCard } from './embed.js';
import { formatted } from './formatted.js';
import { formatTime } from './time.js';

const flag = { ephemeral: 1 << 6, loading: 1 << 7 };

/**
 * A message as Discord shows it.
 *
 * @param {object} message
 * @param {object} state the store's state
 * @param {{ press: Function, dismiss: Function }} on
 */
export function messageItem(message, state, on) {
  const ephemeral = (message.flags & flag.ephemeral) !== 0;
  const waiting = [...state.pending.values()].find((use) => use.messageId === message.id);
  const author = nameOf(message.author, state);
  const item = element('li', { class: ephemeral ? 'message ephemeral' : 'message', 'data-message-id': message.id });
  if (message.interaction) item.append(usedCommand(message.interaction, state));
  const body = element('div', { class: 'message-body' }, head(author, message));
  body.append(...content(message, state));
  const press = (customId, values) => on.press(message, customId, values);
  body.append(...componentRows(message, { state, busy: waiting !== undefined && !waiting.failed, press }));
  if (waiting?.failed) body.append(element('p', { class: 'failure' }, 'This interaction failed'));
  if (ephemeral) body.append(onlyYou(() => on.dismiss(message.id)));
  item.append(avatar(message.author.id, author), body);
  return item;
}

/** A command that is on its way, or that the bot never answered. */
export function pendingItem(id, use, state, on) {
  const item = element(
    'li',
    { class: 'message ephemeral' },
    usedCommand({ name: use.name, user: { id: use.userId } }, state),
  );
  const text = use.failed
    ? element('p', { class: 'failure' }, 'The application did not respond')
    : element('p', { class: 'thinking' }, 'Sending command', dots());
  const body = element('div', { class: 'message-body' }, head(state.bot.name, { author: { bot: true } }), text);
  if (use.failed) body.append(onlyYou(() => on.dismiss(id)));
  item.append(avatar(state.bot.id, state.bot.name), body);
  return item;
}

/** What a message says, in one line, for those who do not see it. */
export function spokenText(message) {
  const embeds = message.embeds.map(({ title, description }) => [title, description].filter(Boolean).join(': '));
  const text = [message.content, ...embeds].filter(Boolean).join('. ');
  return `${message.author.username}: ${text.replaceAll(/<[^>]*>|[*_`~|#\\]/g, '').slice(0, 300)}`;
}

function head(author, { author: { bot }, timestamp }) {
  const at = timestamp ? Date.parse(timestamp) : null;
  return element(
    'p',
    { class: 'message-head' },
    element('span', { class: 'author' }, author),
    bot ? element('span', { class: 'badge' }, 'APP') : null,
    at === null ? null : element('time', { datetime: timestamp, title: formatTime(at, 'F') }, formatTime(at, 't')),
  );
}

function content(message, state) {
  if ((message.flags & flag.loading) !== 0) {
    return [element('p', { class: 'thinking' }, `${message.author.username} is thinking`, dots())];
  }
  const parts = [];
  if (message.content) parts.push(element('div', { class: 'content' }, formatted(message.content, state)));
  parts.push(...message.embeds.map((embed) => embedCard(embed, state)));
  if (message.edited_timestamp && message.content) parts.push(element('span', { class: 'edited' }, '(edited)'));
  return parts;
}

function usedCommand({ name, user }, state) {
  const who = nameOf(user, state);
  return element(
    'p',
    { class: 'used' },
    avatar(user.id, who),
    element('strong', {}, who),
    ' used ',
    element('span', { class: 'mention' }, `/${name}`),
  );
}

function onlyYou(dismiss) {
  return element(
    'p',
    { class: 'only-you' },
    'Only you can see this • ',
    element('button', { type: 'button', class: 'text-button', onclick: dismiss }, 'Dismiss message'),
  );
}

function dots() {
  return element('span', { class: 'dots', 'aria-hidden': 'true' }, '…');
}

function nameOf(user, { members }) {
  return members.find(({ id }) => id === user.id)?.name ?? user.global_name ?? user.username ?? 'somebody';
}
