import { element, findById } from './element.ts';
import { captureFocus } from './focus.ts';
import { formatMessageTime } from './format-time.ts';
import { announcementText, isContinuation, type MessageActions, messageElement, pendingElement } from './message.ts';
import { postAction } from './requests.ts';
import { sandboxNow } from './sandbox-time.ts';
import { type PageStore, type State, type StoreChange, visibleMessages } from './store.ts';

type Message = ReturnType<typeof visibleMessages>[number];

/** Within this distance of its end a list that grows keeps showing its end (pixels). */
const scrollThresholdPx = 80;

const redrawKinds: readonly StoreChange['kind'][] = [
  'everything',
  'places',
  'channel',
  'acting',
  'message',
  'message_deleted',
  'pending',
  'conditions',
];

/** The messages of the open channel, and the ones that are still on their way. */
export function startChat(store: PageStore): void {
  const { state } = store;
  const list = findById<HTMLElementTagNameMap['discord-messages']>('messages');
  const log = findById('log');
  // Not every browser lets the keyboard scroll what cannot have the focus.
  log.tabIndex = 0;
  const announcer = findById('announcer');
  /** A message that is drawn already is left as it is: somebody may be ticking its boxes. */
  const cache = new Map<string, { readonly fingerprint: string; readonly node: HTMLElement }>();
  followTheme(list, () => {
    cache.clear();
    render();
  });

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
  }

  function renderMessage(message: Message, previous: Message | undefined): HTMLElement {
    const pendingAction = [...state.pending.values()].find((action) => action.messageId === message.id);
    const isContinued = isContinuation(message, previous);
    const timestamp = formatMessageTime(Date.parse(message.timestamp), sandboxNow());
    const fingerprint = JSON.stringify([message, pendingAction?.failed, isContinued, timestamp]);
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

  /** The library draws a moment after it was asked to, and makes the list longer. */
  function scrollToEnd(): void {
    requestAnimationFrame(() => {
      log.scrollTop = log.scrollHeight;
    });
  }

  store.subscribe((change) => {
    // Names may be others now.
    if (change.kind === 'everything' || change.kind === 'places') cache.clear();
    if (redrawKinds.includes(change.kind)) render();
    if (change.kind === 'channel' || change.kind === 'everything') scrollToEnd();
    if (change.kind === 'message' && (change.onlyFor ?? state.userId) === state.userId) {
      announcer.textContent = announcementText(change.message);
    }
  });
}

function channelIntro({ channels, channelId, guild, bot }: State, isEmpty: boolean): HTMLElement {
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
    isEmpty ? element('p', {}, 'Nothing yet: vote on the listing service, or type / below.') : null,
  );
}

/** Makes these the children. One that stays is not touched: it keeps its focus and what was filled in. */
function replaceChildren(list: HTMLElement, children: readonly HTMLElement[]): void {
  for (const child of [...list.children]) if (!children.includes(child as HTMLElement)) child.remove();
  for (const [index, child] of children.entries()) {
    if (list.children[index] !== child) list.insertBefore(child, list.children[index] ?? null);
  }
}

/** The library's light theme follows the system, as the page does; what is drawn already would not notice. */
function followTheme(list: HTMLElementTagNameMap['discord-messages'], redraw: () => void): void {
  const light = matchMedia('(prefers-color-scheme: light)');
  list.lightTheme = light.matches;
  light.addEventListener('change', () => {
    list.lightTheme = light.matches;
    redraw();
  });
}
