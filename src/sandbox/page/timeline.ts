import { formatElapsed } from '../../platform/durations.ts';
import type { DiscordState, StateChange } from '../discord/discord-state.ts';
import type { PagePorts, TimelineItem, Tone } from './ports.ts';

/** Number of items that are stored. */
const maxItems = 200;

/** An item with a key; a later item with the same key replaces it. */
export type KeyedItem = TimelineItem & { readonly key: string };

/** The timeline: events that the sandbox reports, and the bot's activity on Discord. */
export class Timeline {
  readonly #items = new Map<string, KeyedItem>();
  readonly #state: DiscordState;
  readonly #onItem: (item: KeyedItem) => void;
  #lines = 0;
  #connected = false;

  constructor(state: DiscordState, source: PagePorts['events'], onItem: (item: KeyedItem) => void) {
    this.#state = state;
    this.#onItem = onItem;
    source.on('timeline', (item) => this.#add(item));
    state.events.on('change', (change) => this.#handleChange(change));
  }

  /** Oldest first. */
  get items(): readonly KeyedItem[] {
    return [...this.#items.values()];
  }

  #handleChange(change: StateChange): void {
    if (change.kind === 'gateway' && change.connected !== this.#connected) {
      this.#connected = change.connected;
      if (change.connected) this.#addLine('good', 'The bot is connected');
      else this.#addLine('bad', 'The bot is disconnected');
    }
    if (change.kind === 'interaction' && change.state !== 'sent') {
      const username = this.#state.user(change.userId)?.username ?? 'An unknown user';
      const action = `${username} ${change.action}`;
      if (change.state === 'failed') this.#addLine('bad', `${action}: no response within 3 seconds`);
      else this.#addLine('plain', `${action}: responded after ${formatElapsed(change.afterMs)}`);
    }
  }

  #addLine(tone: Tone, text: string): void {
    this.#add({ kind: 'line', at: this.#state.clock.now(), source: 'discord', tone, text });
  }

  #add(item: TimelineItem): void {
    const key = item.kind === 'delivery' ? `delivery-${item.id}` : `line-${this.#lines++}`;
    const keyedItem = { ...item, key };
    this.#items.set(key, keyedItem);
    const [oldest] = this.#items.keys();
    if (this.#items.size > maxItems && oldest !== undefined) this.#items.delete(oldest);
    this.#onItem(keyedItem);
  }
}
