import type { FullState, PageEvent, SidebarState, SimulationState } from '../protocol.ts';
import { setSandboxTime } from './sandbox-time.ts';

type Item = FullState['timeline'][number];
type StoredMessage = FullState['messages'][number];
type EventOf<Kind extends PageEvent['kind']> = Extract<PageEvent, { kind: Kind }>;

/** A command, a click or a form that was sent and has no answer yet. */
export interface PendingAction {
  /** The command; null for what is no command. */
  readonly name: string | null;
  readonly userId: string;
  readonly channelId: string;
  /** The message of the control that was used. */
  readonly messageId?: string;
  /** It never got an answer. */
  readonly failed: boolean;
}

/** What the page knows, and who is acting. */
export type State = Omit<FullState, 'kind' | 'timeline' | 'messages'> & {
  loaded: boolean;
  /** Whether the stream is open. */
  live: boolean;
  /** Oldest first. */
  messages: readonly StoredMessage[];
  /** Oldest first, by their keys: what is told again takes the place of what it was. */
  readonly timeline: Map<string, Item>;
  /** By the interaction's id. */
  readonly pending: Map<string, PendingAction>;
  readonly dismissed: Set<string>;
  /** Channels with something new in them. */
  readonly unread: Set<string>;
  channelId: string;
  userId: string;
  /** What the bot offered for options that it completes: values by `option:text`. */
  readonly completed: Map<string, string | number>;
  /** Hints that were followed. */
  readonly tried: Set<string>;
};

/** What kind of change it was, and what is new. */
export type StoreChange =
  | { readonly kind: 'message'; readonly message: StoredMessage['message']; readonly onlyFor: string | null }
  | { readonly kind: 'timeline'; readonly item: Item }
  | EventOf<'modal'>
  | {
      readonly kind:
        | 'everything'
        | 'places'
        | 'conditions'
        | 'credits'
        | 'message_deleted'
        | 'pending'
        | 'live'
        | 'channel'
        | 'acting'
        | 'tried';
    };

export type PageStore = ReturnType<typeof createPageStore>;

/** Other pages' interactions are told, too; they are not remembered for long. */
const maxEarlyResults = 50;

/** The server tells everything once and then what changes; the views are told after each change what kind it was. */
export function createPageStore() {
  const state = emptyState();
  const listeners = new Set<(notify: StoreChange) => void>();
  /** How interactions ended of which the page did not know yet: the news may be faster than the answer to its own request. */
  const earlyResults = new Map<string, 'answered' | 'failed'>();
  const notify = (event: StoreChange) => {
    for (const listener of listeners) listener(event);
  };

  function settle(interactionId: string, action: PendingAction, result: 'answered' | 'failed'): void {
    if (result === 'answered') state.pending.delete(interactionId);
    else state.pending.set(interactionId, { ...action, failed: true });
    notify({ kind: 'pending' });
  }

  function merge(update: Partial<SidebarState & SimulationState>): void {
    Object.assign(state, update);
    setSandboxTime(state.time);
    state.channelId = preferredId(visibleChannels(state), state.channelId);
    state.userId = preferredId(state.members, state.userId);
  }

  const receive: { readonly [Kind in PageEvent['kind']]: (event: EventOf<Kind>) => void } = {
    everything({ timeline, ...update }) {
      state.timeline.clear();
      for (const item of timeline) state.timeline.set(item.key, item);
      merge({ ...update, loaded: true } as Partial<State>);
      notify({ kind: 'everything' });
    },
    places(update) {
      merge(update);
      notify({ kind: 'places' });
    },
    conditions(update) {
      merge(update);
      notify({ kind: 'conditions' });
    },
    message({ message, onlyFor }) {
      const isNew = !state.messages.some((each) => each.message.id === message.id);
      const messages = state.messages.map((each) => (each.message.id === message.id ? { message, onlyFor } : each));
      state.messages = isNew ? [...messages, { message, onlyFor }] : messages;
      const isVisible = (onlyFor ?? state.userId) !== state.userId || message.channel_id === state.channelId;
      if (isNew && !isVisible) state.unread.add(message.channel_id);
      notify({ kind: 'message', message, onlyFor });
    },
    message_deleted({ messageId }) {
      state.messages = state.messages.filter(({ message }) => message.id !== messageId);
      notify({ kind: 'message_deleted' });
    },
    interaction({ interactionId, state: result }) {
      if (result === 'sent') return;
      const action = state.pending.get(interactionId);
      if (action !== undefined) return settle(interactionId, action, result);
      earlyResults.set(interactionId, result);
      const [oldest] = earlyResults.keys();
      if (earlyResults.size > maxEarlyResults && oldest !== undefined) earlyResults.delete(oldest);
    },
    modal: notify,
    credits({ credits }) {
      state.credits = credits;
      notify({ kind: 'credits' });
    },
    timeline({ item }) {
      state.timeline.set(item.key, item);
      notify({ kind: 'timeline', item });
    },
  };

  return {
    state: state as Readonly<State>,
    subscribe: (listener: (notify: StoreChange) => void) => void listeners.add(listener),
    receive: <Kind extends PageEvent['kind']>(event: EventOf<Kind>) => receive[event.kind as Kind](event),
    live(isLive: boolean) {
      state.live = isLive;
      notify({ kind: 'live' });
    },
    openChannel(channelId: string) {
      state.channelId = channelId;
      state.unread.delete(channelId);
      notify({ kind: 'channel' });
    },
    actAs(userId: string) {
      state.userId = userId;
      state.channelId = preferredId(visibleChannels(state), state.channelId);
      notify({ kind: 'acting' });
    },
    /** Something was sent; its answer is on its way. */
    addPending(interactionId: string, action: Omit<PendingAction, 'failed'>) {
      const result = earlyResults.get(interactionId);
      earlyResults.delete(interactionId);
      if (result !== undefined) return settle(interactionId, { ...action, failed: false }, result);
      state.pending.set(interactionId, { ...action, failed: false });
      notify({ kind: 'pending' });
    },
    dismiss(id: string) {
      state.dismissed.add(id);
      state.pending.delete(id);
      notify({ kind: 'pending' });
    },
    tried(hint: string) {
      if (state.tried.has(hint)) return;
      state.tried.add(hint);
      notify({ kind: 'tried' });
    },
  };
}

function emptyState(): State {
  return {
    loaded: false,
    live: false,
    connected: false,
    guild: { id: '', name: '' },
    bot: { id: '', name: '' },
    listings: [],
    serviceUrl: null,
    channels: [],
    members: [],
    roles: [],
    commands: [],
    messages: [],
    credits: {},
    timeline: new Map(),
    time: { now: 0, speed: 1 },
    outages: { discord: false, service: false },
    pending: new Map(),
    dismissed: new Set(),
    unread: new Set(),
    channelId: '',
    userId: '',
    completed: new Map(),
    tried: new Set(),
  };
}

/** The channels of the guild, and the direct conversation of the one who is acting. */
export function visibleChannels({ channels, userId }: Readonly<State>): State['channels'] {
  return channels.filter((channel) => channel.with === null || channel.with === userId);
}

/** What the acting member sees in the open channel. */
export function visibleMessages({
  messages,
  channelId,
  userId,
  dismissed,
}: Readonly<State>): StoredMessage['message'][] {
  return messages
    .filter(({ onlyFor }) => onlyFor === null || onlyFor === userId)
    .map(({ message }) => message)
    .filter(({ id, channel_id }) => channel_id === channelId && !dismissed.has(id));
}

/** The preferred id if it is still there, else the first. */
function preferredId(items: readonly { readonly id: string }[], preferred: string): string {
  return items.find(({ id }) => id === preferred)?.id ?? items[0]?.id ?? '';
}
