import { element, find } from './element.ts';
import { focusKeeper } from './focus.ts';
import { continues, type MessageActions, messageElement, pendingElement, spokenText } from './message.ts';
import { formatMoment } from './moments.ts';
import { ask } from './requests.ts';
import { sandboxNow } from './sandbox-time.ts';
import { type Changed, type PageStore, type State, visibleMessages } from './store.ts';

type Message = ReturnType<typeof visibleMessages>[number];

/** Within this distance of its end a list that grows keeps showing its end (pixels). */
const nearEnd = 80;

const redraws: readonly Changed['kind'][] = [
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
  const list = find<HTMLElementTagNameMap['discord-messages']>('messages');
  const log = find('log');
  // Not every browser lets the keyboard scroll what cannot have the focus.
  log.tabIndex = 0;
  const announcer = find('announcer');
  /** A message that is drawn already is left as it is: somebody may be ticking its boxes. */
  const drawn = new Map<string, { readonly shows: string; readonly made: HTMLElement }>();
  followTheme(list, () => {
    drawn.clear();
    draw();
  });

  const on: MessageActions = {
    dismiss: (id) => store.dismiss(id),
    press: (message, customId, values) => void press(message, customId, values),
  };

  async function press(message: Message, customId: string, values?: readonly string[]): Promise<void> {
    const use = { messageId: message.id, userId: state.userId };
    const answer = await ask('/page/components', { ...use, customId, ...(values ? { values } : {}) });
    if (answer.error !== undefined) {
      announcer.textContent = answer.error;
      return;
    }
    store.sent(answer.interactionId, { ...use, name: null, channelId: message.channel_id });
    if (message.interaction?.name === 'reviews') store.tried('reviews');
  }

  function drawnMessage(message: Message, before: Message | undefined): HTMLElement {
    const waiting = [...state.pending.values()].find((use) => use.messageId === message.id);
    const isContinued = continues(message, before);
    const moment = formatMoment(Date.parse(message.timestamp), sandboxNow());
    const shows = JSON.stringify([message, waiting?.failed, isContinued, moment]);
    const known = drawn.get(message.id);
    if (known?.shows === shows) return known.made;
    const made = messageElement(message, { isContinued, waiting }, state, on);
    drawn.set(message.id, { shows, made });
    return made;
  }

  function draw(): void {
    const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < nearEnd;
    const keepFocus = focusKeeper(log);
    const messages = visibleMessages(state);
    const pending = [...state.pending].filter(
      ([, use]) => use.name !== null && use.channelId === state.channelId && use.userId === state.userId,
    );
    become(list, [
      beginning(state, messages.length === 0),
      ...messages.map((message, index) => drawnMessage(message, messages[index - 1])),
      ...pending.map(([id, use]) => pendingElement(id, use, state, on)),
    ]);
    keepFocus();
    if (atEnd) showEnd();
  }

  /** The library draws a moment after it was asked to, and makes the list longer. */
  function showEnd(): void {
    requestAnimationFrame(() => {
      log.scrollTop = log.scrollHeight;
    });
  }

  store.subscribe((changed) => {
    // Names may be others now.
    if (changed.kind === 'everything' || changed.kind === 'places') drawn.clear();
    if (redraws.includes(changed.kind)) draw();
    if (changed.kind === 'channel' || changed.kind === 'everything') showEnd();
    if (changed.kind === 'message' && (changed.onlyFor ?? state.userId) === state.userId) {
      announcer.textContent = spokenText(changed.message);
    }
  });
}

function beginning({ channels, channelId, guild, bot }: State, isEmpty: boolean): HTMLElement {
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
function become(list: HTMLElement, wanted: readonly HTMLElement[]): void {
  for (const child of [...list.children]) if (!wanted.includes(child as HTMLElement)) child.remove();
  for (const [index, child] of wanted.entries()) {
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
