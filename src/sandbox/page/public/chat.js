import { element, find } from './element.js';
import { messageItem, pendingItem, spokenText } from './message.js';
import { ask } from './requests.js';
import { visibleMessages } from './store.js';

/** The open channel: its name, its messages, and the ones that are still on their way. */
export function startChat(store) {
  const { state } = store;
  const list = find('messages');
  // Not every browser lets the keyboard scroll what cannot have the focus.
  list.tabIndex = 0;
  const announcer = find('announcer');
  const on = {
    dismiss: (id) => store.dismiss(id),
    async press(message, customId, values) {
      const use = { messageId: message.id, customId, userId: state.userId, ...(values ? { values } : {}) };
      const answer = await ask('/page/components', use);
      if (answer.error) announcer.textContent = answer.error;
      else {
        store.sent(answer.interactionId, {
          messageId: message.id,
          userId: state.userId,
          channelId: message.channel_id,
        });
        if (message.interaction?.name === 'reviews') store.tried('reviews');
      }
    },
  };

  function drawBar() {
    const channel = state.channels.find(({ id }) => id === state.channelId);
    const name = find('channel-name');
    name.textContent = channel?.name ?? '';
    name.className = channel?.with ? 'direct' : '';
    find('channel-topic').textContent = channel?.topic ?? '';
    const connection = find('connection');
    const words = !state.live ? 'Sandbox not reachable' : state.connected ? 'Bot online' : 'Bot offline';
    connection.textContent = words;
    connection.dataset.state = state.live && state.connected ? 'good' : 'bad';
  }

  /** A message that is drawn already is left as it is: somebody may be ticking its boxes. */
  const drawn = new Map();
  function itemOf(message) {
    const waiting = [...state.pending.values()].find((use) => use.messageId === message.id);
    const shows = JSON.stringify([message, waiting?.failed]);
    const known = drawn.get(message.id);
    if (known?.shows === shows) return known.item;
    const item = messageItem(message, state, on);
    drawn.set(message.id, { shows, item });
    return item;
  }

  function drawMessages() {
    const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 80;
    const focused = focusWithin(list);
    const pending = [...state.pending].filter(
      ([, use]) => use.name && use.channelId === state.channelId && use.userId === state.userId,
    );
    list.replaceChildren(
      beginning(state),
      ...visibleMessages(state).map(({ message }) => itemOf(message)),
      ...pending.map(([id, use]) => pendingItem(id, use, state, on)),
    );
    restoreFocus(list, focused);
    if (atEnd) list.scrollTop = list.scrollHeight;
  }

  store.subscribe((kind, detail) => {
    // Names may be others now.
    if (kind === 'everything' || kind === 'places') drawn.clear();
    if (['everything', 'places', 'channel', 'acting', 'live'].includes(kind)) drawBar();
    if (['everything', 'places', 'channel', 'acting', 'message', 'message_deleted', 'pending'].includes(kind))
      drawMessages();
    if (kind === 'channel' || kind === 'everything') list.scrollTop = list.scrollHeight;
    if (kind === 'message' && (detail.onlyFor ?? state.userId) === state.userId) {
      announcer.textContent = spokenText(detail.message);
    }
  });
}

function beginning(state) {
  const { channels, channelId, guild, bot } = state;
  const channel = channels.find(({ id }) => id === channelId);
  const direct = Boolean(channel?.with);
  const empty = visibleMessages(state).length === 0;
  return element(
    'li',
    { class: 'beginning' },
    element('h3', {}, direct ? bot.name : `Welcome to #${channel?.name ?? ''}`),
    element(
      'p',
      {},
      direct ? `Your direct messages with ${bot.name}.` : `The beginning of this channel of ${guild.name}.`,
    ),
    empty ? element('p', {}, 'Nothing yet: vote on the listing service, or type / below.') : null,
  );
}

/** Which button of which message has the focus; a redrawn list must not lose it. */
function focusWithin(list) {
  const active = document.activeElement;
  if (!list.contains(active) || active === list) return null;
  const item = active.closest('[data-message-id]');
  const controls = [...(item?.querySelectorAll('button, a, select') ?? [])];
  return item ? { messageId: item.dataset.messageId, index: controls.indexOf(active) } : null;
}

function restoreFocus(list, focused) {
  if (focused === null) return;
  const item = list.querySelector(`[data-message-id="${focused.messageId}"]`);
  const controls = [...(item?.querySelectorAll('button, a, select') ?? [])];
  const control = controls[focused.index];
  if (control && !control.disabled) control.focus();
  else (controls.find((each) => !each.disabled) ?? list).focus({ preventScroll: true });
}
