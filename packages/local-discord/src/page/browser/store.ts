import { BoundedMap } from '@tallyhook/platform/bounded-map';
import { defaultLocale, type Locale } from '../../locales.ts';
import type { FullState, PageEvent } from '../snapshot.ts';
import type { PageClock } from './page-clock.ts';

type StoredMessage = FullState['messages'][number];
type EventOf<Kind extends PageEvent['kind']> = Extract<PageEvent, { kind: Kind }>;

/** A command, component or modal submission without a response yet. */
export interface PendingAction {
  /** The command as it is shown, such as `/ping`; null for components and modals. */
  readonly name: string | null;
  readonly userId: string;
  readonly channelId: string;
  /** The message of the used component, and its custom id. */
  readonly messageId?: string;
  readonly customId?: string;
  /** True if the response timed out. */
  readonly failed: boolean;
}

/** `system` follows the system's color scheme. */
export type Theme = 'system' | 'dark' | 'light';

/** The one view that narrow screens show. */
export type View = 'chat' | 'side';

/** The state of the page. */
export type State = Omit<FullState, 'kind' | 'messages' | 'activity' | 'extension'> & {
  readonly clock: PageClock;
  loaded: boolean;
  /** True if the event stream is open. */
  live: boolean;
  /** Oldest first. */
  messages: readonly StoredMessage[];
  /** Oldest first. */
  activity: FullState['activity'];
  /** By interaction id. */
  readonly pending: Map<string, PendingAction>;
  readonly dismissed: Set<string>;
  /** The number of unread messages by channel id. */
  readonly unread: Map<string, number>;
  channelId: string;
  userId: string;
  /** The user whose profile was opened last. */
  profileId: string;
  /** Autocomplete choices of the bot: values by `option:text`. */
  readonly completed: Map<string, string | number>;
  theme: Theme;
  view: View;
  /** Hidden views in which something has changed. */
  readonly changedViews: Set<View>;
};

/** A change of the state. */
export type StoreChange =
  | {
      readonly kind: 'message';
      readonly message: StoredMessage['message'];
      readonly onlyFor: string | null;
      /** False for an edited message. */
      readonly isNew: boolean;
    }
  /** The acting member has used a command, a component or a modal. */
  | { readonly kind: 'sent'; readonly action: PendingAction }
  | EventOf<'full_state' | 'activity' | 'modal'>
  | { readonly [Kind in PlainKind]: { readonly kind: Kind } }[PlainKind];

/** Changes without details: events of the server that are applied completely, and what happens on the page. */
type PlainKind =
  | Exclude<PageEvent['kind'], 'full_state' | 'activity' | 'interaction' | 'message' | 'modal'>
  | 'pending'
  | 'live'
  | 'channel'
  | 'acting'
  | 'profile'
  | 'theme'
  | 'view';

export type ChangeKind = StoreChange['kind'];

/** Number of results stored for unknown interactions, which may belong to other pages. */
const maxEarlyResults = 50;

/**
 * Applies the server's events to the state, and notifies the views of each change.
 * @typeParam Added changes of the extension, among them its events
 */
export class PageStore<Added extends { readonly kind: string } = never> {
  readonly state: Readonly<State>;
  readonly #state: State;
  readonly #listeners = new Set<(change: StoreChange | Added) => void>();
  /** Results by interaction id: an event can arrive before the response that contains the interaction's id. */
  readonly #earlyResults = new BoundedMap<'answered' | 'failed'>(maxEarlyResults);

  constructor(clock: PageClock, theme: Theme) {
    this.#state = emptyState(clock, theme);
    this.state = this.#state;
  }

  /** Calls the listener with each change of these kinds. */
  on<Kind extends (StoreChange | Added)['kind']>(
    kinds: readonly Kind[],
    listener: (change: Extract<StoreChange | Added, { readonly kind: Kind }>) => void,
  ) {
    this.#listeners.add((change) => {
      if ((kinds as readonly string[]).includes(change.kind)) listener(change as Parameters<typeof listener>[0]);
    });
  }

  /** Reports a change of the extension. */
  notify(change: Added) {
    this.#notify(change);
  }

  /** Applies an event of the server; others are changes of the extension. */
  receive<Kind extends PageEvent['kind']>(event: EventOf<Kind> | Added) {
    if (Object.hasOwn(this.#receive, event.kind)) this.#receive[event.kind as Kind](event as EventOf<Kind>);
    else this.#notify(event as Added);
  }

  /** @param now the server's time (ms since the epoch) */
  synchronize(now: number) {
    this.#state.clock.set({ now, speed: this.#state.speed });
    this.#notify({ kind: 'time' });
  }

  live(isLive: boolean) {
    this.#state.live = isLive;
    this.#notify({ kind: 'live' });
  }

  openChannel(channelId: string) {
    this.#state.channelId = channelId;
    this.#state.unread.delete(channelId);
    this.#notify({ kind: 'channel' });
  }

  actAs(userId: string) {
    const state = this.#state;
    state.userId = userId;
    state.channelId = preferredId(visibleChannels(state), state.channelId);
    state.unread.delete(state.channelId);
    this.#notify({ kind: 'acting' });
  }

  openProfile(userId: string) {
    this.#state.profileId = userId;
    this.#notify({ kind: 'profile' });
  }

  /** Adds a sent interaction. */
  addPending(interactionId: string, action: Omit<PendingAction, 'failed'>) {
    const sent = { ...action, failed: false };
    this.#notify({ kind: 'sent', action: sent });
    const result = this.#earlyResults.get(interactionId);
    this.#earlyResults.delete(interactionId);
    if (result !== undefined) return this.#settle(interactionId, sent, result);
    this.#state.pending.set(interactionId, sent);
    this.#notify({ kind: 'pending' });
  }

  dismiss(id: string) {
    this.#state.dismissed.add(id);
    this.#state.pending.delete(id);
    this.#notify({ kind: 'pending' });
  }

  selectTheme(theme: Theme) {
    this.#state.theme = theme;
    this.#notify({ kind: 'theme' });
  }

  showView(view: View) {
    this.#state.view = view;
    this.#state.changedViews.delete(view);
    this.#notify({ kind: 'view' });
  }

  /** Marks a view if it is hidden. */
  viewChanged(view: View) {
    if (view === this.#state.view) return;
    this.#state.changedViews.add(view);
    this.#notify({ kind: 'view' });
  }

  readonly #receive: { readonly [Kind in PageEvent['kind']]: (event: EventOf<Kind>) => void } = {
    full_state: (event) => {
      const { kind: _, extension: _added, ...update } = event;
      this.#merge({ ...update, loaded: true });
      const { clock, speed } = this.#state;
      clock.set({ now: clock.now(), speed });
      this.#notify(event);
    },
    sidebar: ({ kind, ...update }) => {
      this.#merge(update);
      this.#notify({ kind });
    },
    message: ({ message, onlyFor }) => {
      const state = this.#state;
      const isNew = !state.messages.some((each) => each.message.id === message.id);
      const messages = state.messages.map((each) => (each.message.id === message.id ? { message, onlyFor } : each));
      state.messages = isNew ? [...messages, { message, onlyFor }] : messages;
      const isVisible = (onlyFor ?? state.userId) !== state.userId || message.channel_id === state.channelId;
      if (isNew && !isVisible) state.unread.set(message.channel_id, (state.unread.get(message.channel_id) ?? 0) + 1);
      this.#notify({ kind: 'message', message, onlyFor, isNew });
    },
    message_deleted: ({ messageId }) => {
      this.#state.messages = this.#state.messages.filter(({ message }) => message.id !== messageId);
      this.#notify({ kind: 'message_deleted' });
    },
    interaction: ({ interactionId, state: result }) => {
      if (result === 'sent') return;
      const action = this.#state.pending.get(interactionId);
      if (action !== undefined) return this.#settle(interactionId, action, result);
      this.#earlyResults.set(interactionId, result);
    },
    modal: (event) => this.#notify(event),
    activity: (event) => {
      this.#state.activity = [...this.#state.activity, event.line];
      this.#notify(event);
    },
    time() {},
  };

  #notify(change: StoreChange | Added): void {
    for (const listener of this.#listeners) listener(change);
  }

  #settle(interactionId: string, action: PendingAction, result: 'answered' | 'failed'): void {
    if (result === 'answered') this.#state.pending.delete(interactionId);
    else this.#state.pending.set(interactionId, { ...action, failed: true });
    this.#notify({ kind: 'pending' });
  }

  #merge(update: Partial<State>): void {
    const state = this.#state;
    Object.assign(state, update);
    state.userId = preferredId(state.members, state.userId);
    state.channelId = preferredId(visibleChannels(state), state.channelId);
  }
}

function emptyState(clock: PageClock, theme: Theme): State {
  return {
    clock,
    theme,
    loaded: false,
    live: false,
    connected: false,
    guild: { id: '', name: '' },
    pictures: {},
    bot: { id: '', name: '' },
    strangers: [],
    startedAt: 0,
    speed: 1,
    channels: [],
    members: [],
    guildLocale: defaultLocale,
    roles: [],
    commands: [],
    messages: [],
    activity: [],
    pending: new Map(),
    dismissed: new Set(),
    unread: new Map(),
    channelId: '',
    userId: '',
    profileId: '',
    completed: new Map(),
    view: 'chat',
    changedViews: new Set(),
  };
}

/**
 * The guild's channels and open threads unless the acting user has left it, the user's direct messages with the bot, and the places without the
 * bot in which its commands can be used.
 */
export function visibleChannels(state: Readonly<State>): State['channels'] {
  const { userId } = state;
  const isMember = actingMember(state)?.isMember ?? true;
  return state.channels.filter(({ kind, with: recipient, offered, thread }) => {
    if (thread !== null) return thread.isOpen && thread.viewers.includes(userId);
    if (kind === 'direct') return recipient === userId;
    return kind === 'guild' ? isMember : (offered[userId] ?? []).length > 0;
  });
}

/** The commands of a type that Discord's client offers the acting member in the open channel. */
export function offeredCommands(
  { channels, channelId, commands, userId }: Readonly<State>,
  type: number,
): State['commands'] {
  const offered = channels.find(({ id }) => id === channelId)?.offered[userId] ?? [];
  return commands.filter((command) => command.type === type && offered.includes(command.id));
}

export function actingMember({
  members,
  userId,
}: Pick<State, 'members' | 'userId'>): State['members'][number] | undefined {
  return members.find(({ id }) => id === userId);
}

/** The language of the acting member's client. */
export function localeOf(state: Pick<State, 'members' | 'userId'>): Locale {
  return actingMember(state)?.locale ?? defaultLocale;
}

/** The preferred id if it exists, otherwise the first. */
function preferredId(items: readonly { readonly id: string }[], preferred: string): string {
  return items.find(({ id }) => id === preferred)?.id ?? items[0]?.id ?? '';
}
