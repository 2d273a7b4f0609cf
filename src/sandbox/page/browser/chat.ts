import { focusOn } from './discord-components.ts';
import { element, findById } from './element.ts';
import { formatMessageTime } from './format-time.ts';
import { announcementText, isContinuation, type MessageActions, messageElement, pendingElement } from './message.ts';
import { postAction } from './requests.ts';
import { localeOf, type PageStore, type State, type StoreChange, visibleMessages } from './store.ts';
import { followTheme } from './theme.ts';

type Message = ReturnType<typeof visibleMessages>[number];

const controlSelector = 'discord-button, discord-link, discord-spoiler, select, summary, input, button';

/** The list follows new messages if it is scrolled to within this distance of its end (pixels). */
const scrollThresholdPx = 80;

const redrawKinds: readonly StoreChange['kind'][] = [
  'full_state',
  'sidebar',
  'channel',
  'acting',
  'message',
  'message_deleted',
  'pending',
  'simulation',
];

/** The messages of the open channel, and the pending commands. */
export function startChat(store: PageStore): void {
  const { state } = store;
  const list = findById<HTMLElementTagNameMap['discord-messages']>('messages');
  const log = findById('log');
  // Some browsers scroll with the keyboard only if the element is focusable.
  log.tabIndex = 0;
  const announcer = findById('announcer');
  /** Elements of unchanged messages are reused, since the member may be filling in their selects. */
  const cache = new Map<string, { readonly fingerprint: string; readonly node: HTMLElement }>();

  const actions: MessageActions = {
    dismiss: (id) => store.dismiss(id),
    useComponent: (message, customId, values) => void useComponent(message, customId, values),
  };

  async function useComponent(message: Message, customId: string, values?: readonly string[]): Promise<void> {
    const action = { messageId: message.id, userId: state.userId };
    const response = await postAction('/page/components', { ...action, customId, ...(values ? { values } : {}) });
    if (response.error !== undefined) {
      announcer.textContent = response.error;
      return;
    }
    store.addPending(response.interactionId, { ...action, name: null, channelId: message.channel_id });
    if (message.interaction?.name === 'reviews') store.tried('reviews');
    if (customId.startsWith('tallyhook:remind/')) store.tried('remind');
  }

  function renderMessage(message: Message, previous: Message | undefined): HTMLElement {
    const pendingAction = [...state.pending.values()].find((action) => action.messageId === message.id);
    const isContinued = isContinuation(message, previous);
    const locale = localeOf(state);
    const timestamp = formatMessageTime(Date.parse(message.timestamp), state.clock.now(), locale);
    const fingerprint = JSON.stringify([message, pendingAction?.failed, isContinued, timestamp, locale]);
    const cached = cache.get(message.id);
    if (cached?.fingerprint === fingerprint) return cached.node;
    const node = messageElement(message, { isContinued, pendingAction }, state, actions);
    cache.set(message.id, { fingerprint, node });
    return node;
  }

  function render(): void {
    const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < scrollThresholdPx;
    const restoreFocus = captureFocus(log);
    const messages = visibleMessages(state);
    // Selects the fonts of Chinese and Japanese characters.
    list.lang = localeOf(state);
    const pending = [...state.pending].filter(
      ([, action]) => action.name !== null && action.channelId === state.channelId && action.userId === state.userId,
    );
    replaceChildren(list, [
      channelIntro(state, messages.length === 0),
      ...messages.map((message, index) => renderMessage(message, messages[index - 1])),
      ...pending.map(([id, action]) => pendingElement(id, action, state, actions)),
    ]);
    restoreFocus();
    if (isAtEnd) scrollToEnd();
  }

  /** In the next frame, since the components render asynchronously and change the height. */
  function scrollToEnd(): void {
    requestAnimationFrame(() => {
      log.scrollTop = log.scrollHeight;
    });
  }

  followTheme(store, (isLight) => {
    list.lightTheme = isLight;
    // Existing components must be rendered again.
    cache.clear();
    render();
  });
  store.subscribe((change) => {
    // Names may have changed.
    if (change.kind === 'full_state' || change.kind === 'sidebar') cache.clear();
    if (redrawKinds.includes(change.kind)) render();
    if (change.kind === 'channel' || change.kind === 'full_state') scrollToEnd();
    if (change.kind === 'message' && (change.onlyFor ?? state.userId) === state.userId) {
      announcer.textContent = announcementText(change.message);
    }
  });
}

function channelIntro({ channels, channelId, guild, bot }: State, isEmpty: boolean): HTMLElement {
  if (channelId === '') {
    return element('div', { class: 'beginning' }, element('p', {}, `This user has left ${guild.name}.`));
  }
  const channel = channels.find(({ id }) => id === channelId);
  const isDirect = channel?.with != null;
  return element(
    'div',
    { class: 'beginning' },
    element('h3', {}, isDirect ? bot.name : `Welcome to #${channel?.name ?? ''}!`),
    element(
      'p',
      {},
      isDirect
        ? `This is the beginning of your direct messages with ${bot.name}.`
        : `This is the start of the #${channel?.name ?? ''} channel of ${guild.name}.`,
    ),
    isEmpty ? element('p', {}, 'No messages yet. Vote on the listing service, or type / below.') : null,
  );
}

/** Sets the children. Existing ones are not moved, so they keep their focus and their input. */
function replaceChildren(list: HTMLElement, children: readonly HTMLElement[]): void {
  for (const child of [...list.children]) if (!children.includes(child as HTMLElement)) child.remove();
  for (const [index, child] of children.entries()) {
    if (list.children[index] !== child) list.insertBefore(child, list.children[index] ?? null);
  }
}

/** Remembers which control of which message has the focus; the returned function restores it after rendering. */
function captureFocus(list: HTMLElement): () => void {
  const active = document.activeElement;
  const messageId = active?.closest<HTMLElement>('[data-message-id]')?.dataset['messageId'];
  if (active === null || messageId === undefined || !list.contains(active)) return () => {};
  const index = controlsOf(list, messageId).indexOf(active as HTMLElement);
  return () => {
    if (active.isConnected) return;
    const current = controlsOf(list, messageId);
    const sameControl = current[index];
    const next = sameControl && isUsable(sameControl) ? sameControl : current.find(isUsable);
    void focusOn(next ?? list);
  };
}

function controlsOf(list: HTMLElement, messageId: string): HTMLElement[] {
  const message = list.querySelector(`[data-message-id="${messageId}"]`);
  return [...(message?.querySelectorAll<HTMLElement>(controlSelector) ?? [])];
}

function isUsable(control: HTMLElement): boolean {
  return !control.hasAttribute('disabled');
}
