import type { FullState, PageEvent, SidebarState, SimulationState } from '../protocol.ts';
import { setSandboxTime } from './sandbox-time.ts';

type Item = FullState['timeline'][number];
type KeptMessage = FullState['messages'][number];
type NewsOf<Kind extends PageEvent['kind']> = Extract<PageEvent, { kind: Kind }>;

/** A command, a click or a form that was sent and has no answer yet. */
export interface Use {
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
  messages: readonly KeptMessage[];
  /** Oldest first, by their keys: what is told again takes the place of what it was. */
  readonly timeline: Map<string, Item>;
  /** By the interaction's id. */
  readonly pending: Map<string, Use>;
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
export type Changed =
  | { readonly kind: 'message'; readonly message: KeptMessage['message']; readonly onlyFor: string | null }
  | { readonly kind: 'timeline'; readonly item: Item }
  | NewsOf<'modal'>
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
const mostEarly = 50;

/** The server tells everything once and then what changes; the views are told after each change what kind it was. */
export function createPageStore() {
  const state = emptyState();
  const listeners = new Set<(changed: Changed) => void>();
  /** How interactions ended of which the page did not know yet: the news may be faster than the answer to its own request. */
  const early = new Map<string, 'answered' | 'failed'>();
  const changed = (news: Changed) => {
    for (const listener of listeners) listener(news);
  };

  function settle(interactionId: string, use: Use, stage: 'answered' | 'failed'): void {
    if (stage === 'answered') state.pending.delete(interactionId);
    else state.pending.set(interactionId, { ...use, failed: true });
    changed({ kind: 'pending' });
  }

  function take(known: Partial<SidebarState & SimulationState>): void {
    Object.assign(state, known);
    setSandboxTime(state.time);
    state.channelId = firstOf(visibleChannels(state), state.channelId);
    state.userId = firstOf(state.members, state.userId);
  }

  const receive: { readonly [Kind in PageEvent['kind']]: (news: NewsOf<Kind>) => void } = {
    everything({ timeline, ...known }) {
      state.timeline.clear();
      for (const item of timeline) state.timeline.set(item.key, item);
      take({ ...known, loaded: true } as Partial<State>);
      changed({ kind: 'everything' });
    },
    places(known) {
      take(known);
      changed({ kind: 'places' });
    },
    conditions(known) {
      take(known);
      changed({ kind: 'conditions' });
    },
    message({ message, onlyFor }) {
      const isNew = !state.messages.some((each) => each.message.id === message.id);
      const placed = state.messages.map((each) => (each.message.id === message.id ? { message, onlyFor } : each));
      state.messages = isNew ? [...placed, { message, onlyFor }] : placed;
      const isSeen = (onlyFor ?? state.userId) !== state.userId || message.channel_id === state.channelId;
      if (isNew && !isSeen) state.unread.add(message.channel_id);
      changed({ kind: 'message', message, onlyFor });
    },
    message_deleted({ messageId }) {
      state.messages = state.messages.filter(({ message }) => message.id !== messageId);
      changed({ kind: 'message_deleted' });
    },
    interaction({ interactionId, state: stage }) {
      if (stage === 'sent') return;
      const use = state.pending.get(interactionId);
      if (use !== undefined) return settle(interactionId, use, stage);
      early.set(interactionId, stage);
      const [oldest] = early.keys();
      if (early.size > mostEarly && oldest !== undefined) early.delete(oldest);
    },
    modal: changed,
    credits({ credits }) {
      state.credits = credits;
      changed({ kind: 'credits' });
    },
    timeline({ item }) {
      state.timeline.set(item.key, item);
      changed({ kind: 'timeline', item });
    },
  };

  return {
    state: state as Readonly<State>,
    subscribe: (listener: (changed: Changed) => void) => void listeners.add(listener),
    receive: <Kind extends PageEvent['kind']>(news: NewsOf<Kind>) => receive[news.kind as Kind](news),
    live(isLive: boolean) {
      state.live = isLive;
      changed({ kind: 'live' });
    },
    openChannel(channelId: string) {
      state.channelId = channelId;
      state.unread.delete(channelId);
      changed({ kind: 'channel' });
    },
    actAs(userId: string) {
      state.userId = userId;
      state.channelId = firstOf(visibleChannels(state), state.channelId);
      changed({ kind: 'acting' });
    },
    /** Something was sent; its answer is on its way. */
    sent(interactionId: string, use: Omit<Use, 'failed'>) {
      const stage = early.get(interactionId);
      early.delete(interactionId);
      if (stage !== undefined) return settle(interactionId, { ...use, failed: false }, stage);
      state.pending.set(interactionId, { ...use, failed: false });
      changed({ kind: 'pending' });
    },
    dismiss(id: string) {
      state.dismissed.add(id);
      state.pending.delete(id);
      changed({ kind: 'pending' });
    },
    tried(hint: string) {
      if (state.tried.has(hint)) return;
      state.tried.add(hint);
      changed({ kind: 'tried' });
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
export function visibleMessages({ messages, channelId, userId, dismissed }: Readonly<State>): KeptMessage['message'][] {
  return messages
    .filter(({ onlyFor }) => onlyFor === null || onlyFor === userId)
    .map(({ message }) => message)
    .filter(({ id, channel_id }) => channel_id === channelId && !dismissed.has(id));
}

/** The preferred id if it is still there, else the first. */
function firstOf(items: readonly { readonly id: string }[], preferred: string): string {
  return items.find(({ id }) => id === preferred)?.id ?? items[0]?.id ?? '';
}
