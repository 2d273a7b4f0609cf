import { BoundedMap } from '../../platform/bounded-map.ts';
import { formatElapsed } from '../../platform/durations.ts';
import type { DiscordState } from '../discord/discord-state.ts';
import type { PagePorts, TimelineItem, Tone } from './ports.ts';

/** Number of items that are stored. */
const maxItems = 200;

/** An item with a key; a later item with the same key replaces it. */
export type KeyedItem = TimelineItem & { readonly key: string };

/** The timeline: events that the sandbox reports, and the bot's activity on Discord. */
export function createTimeline(state: DiscordState, source: PagePorts['events'], onItem: (item: KeyedItem) => void) {
  const items = new BoundedMap<KeyedItem>(maxItems);
  let lines = 0;
  let isConnected = false;

  function add(item: TimelineItem): void {
    const key = item.kind === 'delivery' ? `delivery-${item.id}` : `line-${lines++}`;
    const keyedItem = { ...item, key };
    items.set(key, keyedItem);
    onItem(keyedItem);
  }

  function addLine(tone: Tone, text: string): void {
    add({ kind: 'line', at: state.clock.now(), source: 'discord', tone, text });
  }

  source.on('timeline', add);
  state.events.on('change', (change) => {
    if (change.kind === 'gateway' && change.connected !== isConnected) {
      isConnected = change.connected;
      addLine(isConnected ? 'good' : 'bad', `The bot is ${isConnected ? 'connected' : 'disconnected'}`);
    }
    if (change.kind === 'interaction' && change.state !== 'sent') {
      const username = state.user(change.userId)?.username ?? 'An unknown user';
      const action = `${username} ${change.action}`;
      if (change.state === 'failed') addLine('bad', `${action}: no response within 3 seconds`);
      else addLine('plain', `${action}: responded after ${formatElapsed(change.afterMs)}`);
    }
  });
  return {
    /** Oldest first. */
    get items(): readonly KeyedItem[] {
      return [...items.values()];
    },
  };
}
