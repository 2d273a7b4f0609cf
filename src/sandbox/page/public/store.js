import { setSandboxTime } from './time.js';

/**
 * What the page knows, and who is acting. The server tells everything once and then what changes; the views are told after each
 * change what kind it was.
 */
export function createStore() {
  const state = {
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
    /** Oldest first: `{ message, onlyFor }`. */
    messages: [],
    credits: {},
    /** Oldest first, by their keys: what is told again takes the place of what it was. */
    timeline: new Map(),
    time: { now: 0, speed: 1 },
    outages: { discord: false, service: false },
    /** Commands and clicks that have no answer yet, and those that never got one, by the interaction's id. */
    pending: new Map(),
    dismissed: new Set(),
    /** Channels with something new in them. */
    unread: new Set(),
    channelId: null,
    userId: null,
    /** What the bot offered for options that it completes: values by `option:text`. */
    completed: new Map(),
    /** Hints that were followed. */
    tried: new Set(),
  };
  const listeners = new Set();
  /** How interactions ended of which the page did not know yet: the news may be faster than the answer to its own request. */
  const early = new Map();
  const changed = (kind, detail) => {
    for (const listener of listeners) listener(kind, detail);
  };

  function settle(interactionId, use, stage) {
    if (stage === 'answered') state.pending.delete(interactionId);
    else state.pending.set(interactionId, { ...use, failed: true });
    changed('pending');
  }

  /** Other pages' interactions end up in here, too; they are not kept for long. */
  function remember(interactionId, stage) {
    early.set(interactionId, stage);
    if (early.size > 50) early.delete(early.keys().next().value);
  }

  const news = {
    everything(all) {
      Object.assign(state, all, { loaded: true, timeline: new Map(all.timeline.map((item) => [item.key, item])) });
      setSandboxTime(state.time);
      state.channelId = firstOf(visibleChannels(state), state.channelId);
      state.userId = firstOf(state.members, state.userId);
      changed('everything');
    },
    places(all) {
      Object.assign(state, all);
      state.channelId = firstOf(visibleChannels(state), state.channelId);
      changed('places');
    },
    message({ message, onlyFor }) {
      const index = state.messages.findIndex((each) => each.message.id === message.id);
      if (index === -1) state.messages.push({ message, onlyFor });
      else state.messages[index] = { message, onlyFor };
      const unseen =
        index === -1 && message.channel_id !== state.channelId && (onlyFor ?? state.userId) === state.userId;
      if (unseen) state.unread.add(message.channel_id);
      changed('message', { message, onlyFor, isNew: index === -1 });
    },
    message_deleted({ messageId }) {
      state.messages = state.messages.filter(({ message }) => message.id !== messageId);
      changed('message_deleted');
    },
    interaction({ interactionId, state: stage }) {
      const use = state.pending.get(interactionId);
      if (stage === 'sent') return;
      if (use === undefined) remember(interactionId, stage);
      else settle(interactionId, use, stage);
    },
    modal(opened) {
      changed('modal', opened);
    },
    credits({ credits }) {
      state.credits = credits;
      changed('credits');
    },
    timeline({ item }) {
      state.timeline.set(item.key, item);
      changed('timeline', item);
    },
    conditions({ time, outages }) {
      Object.assign(state, { time, outages });
      setSandboxTime(time);
      changed('conditions');
    },
  };

  return {
    state,
    subscribe: (listener) => listeners.add(listener),
    receive: (each) => news[each.kind]?.(each),
    live(isLive) {
      state.live = isLive;
      changed('live');
    },
    openChannel(channelId) {
      state.channelId = channelId;
      state.unread.delete(channelId);
      changed('channel');
    },
    actAs(userId) {
      state.userId = userId;
      state.channelId = firstOf(visibleChannels(state), state.channelId);
      changed('acting');
    },
    /** Something was sent; its answer is on its way. */
    sent(interactionId, use) {
      const stage = early.get(interactionId);
      early.delete(interactionId);
      if (stage !== undefined) return settle(interactionId, use, stage);
      state.pending.set(interactionId, { ...use, failed: false });
      changed('pending');
    },
    dismiss(id) {
      state.dismissed.add(id);
      state.pending.delete(id);
      changed('pending');
    },
    tried(hint) {
      if (state.tried.has(hint)) return;
      state.tried.add(hint);
      changed('tried');
    },
  };
}

/** The channels of the guild, and the direct conversation of the one who is acting. */
export function visibleChannels({ channels, userId }) {
  return channels.filter((channel) => channel.with === null || channel.with === userId);
}

/** What the acting member sees in the open channel. */
export function visibleMessages({ messages, channelId, userId, dismissed }) {
  return messages.filter(
    ({ message, onlyFor }) =>
      message.channel_id === channelId && (onlyFor === null || onlyFor === userId) && !dismissed.has(message.id),
  );
}

/** The preferred id if it is still there, else the first. */
function firstOf(items, preferred) {
  return items.find(({ id }) => id === preferred)?.id ?? items[0]?.id ?? null;
}
