import { repeat } from 'lit/directives/repeat.js';
import { focusOn } from '../../web/browser/discord-components.ts';
import { formatMessageTime } from '../../web/browser/format-time.ts';
import { messageElement } from '../../web/browser/message.ts';
import { findById, html, nothing, render, toElement } from './element.ts';
import { announcementText, isContinuation, messageDisplay, pendingElement, shownMessage } from './message.ts';
import { messageView } from './message-view.ts';
import { postAction } from './requests.ts';
import { followTheme } from './settings.ts';
import { type ChangeKind, localeOf, type PageStore, type State } from './store.ts';

type Message = ReturnType<typeof visibleMessages>[number];

export interface ChatOptions {
  /** The text of an empty channel with the bot. */
  readonly emptyHint: string;
  /** Where a link of a message leads. */
  linkTo(url: string): string;
}

const controlSelector = 'discord-button, discord-link, discord-spoiler, select, summary, input, button';

const redrawKinds: readonly ChangeKind[] = [
  'full_state',
  'sidebar',
  'channel',
  'acting',
  'message',
  'message_deleted',
  'pending',
];

/** The messages of the open channel, and the pending commands. */
export function startChat(store: PageStore, { emptyHint, linkTo }: ChatOptions): void {
  const { state } = store;
  const list = findById<HTMLElementTagNameMap['discord-messages']>('messages');
  const log = findById('log');
  // Some browsers scroll with the keyboard only if the element is focusable.
  log.tabIndex = 0;
  const followed = followEnd(log, list);
  const announcer = findById('announcer');
  /** Elements of unchanged messages are reused, since the member may be filling in their selects. */
  const cache = new Map<string, { readonly fingerprint: string; readonly node: HTMLElement }>();

  async function useComponent(message: Message, customId: string, values?: readonly string[]): Promise<void> {
    const action = { messageId: message.id, userId: state.userId };
    const response = await postAction('/page/components', { ...action, customId, ...(values ? { values } : {}) });
    if (response.error !== undefined) {
      announcer.textContent = response.error;
      return;
    }
    store.addPending(response.interactionId, { ...action, customId, name: null, channelId: message.channel_id });
  }

  function renderMessage(message: Message, previous: Message | undefined): HTMLElement {
    const pendingAction = [...state.pending.values()].find((action) => action.messageId === message.id);
    const isContinued = isContinuation(message, previous);
    const locale = localeOf(state);
    const timestamp = formatMessageTime(Date.parse(message.timestamp), state.clock.now(), locale);
    const fingerprint = JSON.stringify([message, pendingAction?.failed, isContinued, timestamp, locale]);
    const cached = cache.get(message.id);
    if (cached?.fingerprint === fingerprint) return cached.node;
    const node = messageElement(
      shownMessage(message),
      messageDisplay(message, { isContinued, pendingAction }, state),
      messageView(state, linkTo),
      {
        useComponent: (customId, values) => void useComponent(message, customId, values),
        dismiss: () => store.dismiss(message.id),
      },
    );
    cache.set(message.id, { fingerprint, node });
    return node;
  }

  function draw(): void {
    const restoreFocus = captureFocus(log);
    const messages = visibleMessages(state);
    // Selects the fonts of Chinese and Japanese characters.
    list.lang = localeOf(state);
    const pending = [...state.pending].filter(
      ([, action]) => action.name !== null && action.channelId === state.channelId && action.userId === state.userId,
    );
    const nodes = [
      channelIntro(state, messages.length === 0, emptyHint),
      ...messages.map((message, index) => renderMessage(message, messages[index - 1])),
      ...pending.map(([id, action]) => pendingElement(action, state, () => store.dismiss(id))),
    ];
    // Existing elements are not moved, so they keep their focus and their input.
    render(
      repeat(nodes, (node) => node),
      list,
    );
    restoreFocus();
  }

  /** Messages say "Today at" and "Yesterday at". */
  let shownDay = '';
  function drawDay(): void {
    const today = new Date(state.clock.now()).toDateString();
    if (today !== shownDay) draw();
    shownDay = today;
  }

  /** Renders all messages again if the names in them may have changed. */
  let shownNames = '';
  function forgetNames(): void {
    const names = namesIn(state);
    if (names !== shownNames) cache.clear();
    shownNames = names;
  }

  followTheme(store, (isLight) => {
    list.lightTheme = isLight;
    // Existing components must be rendered again.
    cache.clear();
    draw();
  });
  store.on(['full_state', 'sidebar'], forgetNames);
  store.on(redrawKinds, draw);
  store.on(['time'], drawDay);
  // The page shows another channel, or the acting member has sent a command.
  store.on(['channel', 'acting'], () => followed.scrollToEnd());
  store.on(['sent'], ({ action }) => {
    if (action.name !== null) followed.scrollToEnd();
  });
  store.on(['message'], ({ message, onlyFor, isNew }) => {
    if ((onlyFor ?? state.userId) !== state.userId) return;
    announcer.textContent = announcementText(message);
    if (isNew && message.channel_id === state.channelId) followed.announceNew();
  });
}

/** The names in mentions and selects as one text, for comparison. */
function namesIn({ members, strangers, roles, channels, bot }: State): string {
  const shownMembers = members.map(({ id, name, isMember }) => [id, name, isMember]);
  const named = [...strangers, ...roles, ...channels, bot].map(({ id, name }) => [id, name]);
  return JSON.stringify([shownMembers, named]);
}

function channelIntro({ channels, channelId, guild, bot }: State, isEmpty: boolean, emptyHint: string): HTMLElement {
  if (channelId === '') return toElement(html`<div class="beginning"><p>This user has left ${guild.name}.</p></div>`);
  const { name = '', kind = 'guild' } = channels.find(({ id }) => id === channelId) ?? {};
  const [title, beginning] = {
    guild: [`Welcome to #${name}!`, `This is the start of the #${name} channel of ${guild.name}.`],
    thread: [name, `This is the start of the thread ${name}.`],
    direct: [bot.name, `This is the beginning of your direct messages with ${bot.name}.`],
    other_guild: [
      `Welcome to #${name}!`,
      `This is the start of the #${name} channel of another server, of which ${bot.name} is no member.`,
    ],
    group: [name, `This is the beginning of a conversation of several people, of which ${bot.name} is no member.`],
  }[kind] as [string, string];
  const next =
    kind === 'guild' || kind === 'thread' || kind === 'direct'
      ? `No messages yet. ${emptyHint}`
      : 'No messages yet. Type / below for the commands of the app that you have added to your account.';
  return toElement(
    html`<div class="beginning"><h3>${title}</h3><p>${beginning}</p>${isEmpty ? html`<p>${next}</p>` : nothing}</div>`,
  );
}

/** The control that gets the focus as soon as its component has rendered. */
let nextFocused: HTMLElement | null = null;

/** Remembers which control of which message has the focus; the returned function restores it after rendering. */
function captureFocus(list: HTMLElement): () => void {
  const active = nextFocused ?? document.activeElement;
  const messageId = active?.closest<HTMLElement>('[data-message-id]')?.dataset['messageId'];
  if (active === null || messageId === undefined || !list.contains(active)) return () => {};
  const index = controlsOf(list, messageId).indexOf(active as HTMLElement);
  return () => {
    if (active.isConnected) return;
    void moveFocus(nearestUsable(controlsOf(list, messageId), index, active.localName) ?? list);
  };
}

async function moveFocus(control: HTMLElement): Promise<void> {
  nextFocused = control;
  await focusOn(control);
  if (nextFocused === control) nextFocused = null;
}

function controlsOf(list: HTMLElement, messageId: string): HTMLElement[] {
  const message = list.querySelector(`[data-message-id="${messageId}"]`);
  return [...(message?.querySelectorAll<HTMLElement>(controlSelector) ?? [])];
}

/** The control at the index or the nearest one, preferably of the same kind: from a button the focus moves to a button. */
function nearestUsable(controls: readonly HTMLElement[], index: number, kind: string): HTMLElement | undefined {
  const byDistance = [...controls.entries()]
    .sort(([one], [other]) => Math.abs(one - index) - Math.abs(other - index))
    .map(([, control]) => control)
    .filter((control) => !control.hasAttribute('disabled'));
  return byDistance.find(({ localName }) => localName === kind) ?? byDistance[0];
}

/** The log follows new content if it is scrolled to within this distance of its end (pixels). */
const nearEndPx = 80;

/**
 * Keeps a log at its end until the reader scrolls up, while its content grows: components render and pictures load after
 * they were added.
 *
 * @param content the element that grows
 */
function followEnd(log: HTMLElement, content: HTMLElement) {
  const jump = findById('jump-to-present');
  let isFollowing = true;
  let lastTop = 0;

  function scrollToEnd(): void {
    isFollowing = true;
    jump.hidden = true;
    log.scrollTop = log.scrollHeight;
    lastTop = log.scrollTop;
  }

  // Only the reader scrolls up. Content that grows increases the distance to the end, too.
  log.addEventListener('scroll', () => {
    const isNearEnd = log.scrollHeight - log.scrollTop - log.clientHeight < nearEndPx;
    if (isNearEnd) jump.hidden = true;
    isFollowing = isNearEnd || (isFollowing && log.scrollTop >= lastTop);
    lastTop = log.scrollTop;
  });
  const observer = new ResizeObserver(() => {
    if (isFollowing) scrollToEnd();
  });
  observer.observe(content);
  observer.observe(log);
  jump.addEventListener('click', () => {
    scrollToEnd();
    log.focus();
  });

  return {
    scrollToEnd,
    /** New content has arrived: offers to scroll to it, if the reader is further up. */
    announceNew() {
      if (!isFollowing) jump.hidden = false;
    },
  };
}

/** The messages of the open channel that the acting member sees. */
function visibleMessages(state: Readonly<State>): State['messages'][number]['message'][] {
  const { channelId, userId, dismissed } = state;
  return state.messages
    .filter(({ onlyFor }) => onlyFor === null || onlyFor === userId)
    .map(({ message }) => message)
    .filter(({ id, channel_id }) => channel_id === channelId && !dismissed.has(id));
}
