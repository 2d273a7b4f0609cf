import type { DiscordState, StateChange } from '../discord/discord-state.ts';
import type { PagePorts, TimelineItem, Tone } from './ports.ts';

const maxItems = 200;

/** An item with its place: what has the same id takes the place of what was told before. */
export type KeyedItem = TimelineItem & { readonly key: string };

/** What happened so far: what the sandbox reports, and what can be seen of the bot on Discord. */
export class Timeline {
  readonly #items = new Map<string, KeyedItem>();
  readonly #state: DiscordState;
  readonly #tell: (item: KeyedItem) => void;
  #lines = 0;
  #connected = false;

  constructor(state: DiscordState, source: PagePorts['events'], onItem: (item: KeyedItem) => void) {
    this.#state = state;
    this.#tell = onItem;
    source.on('timeline', (item) => this.#add(item));
    state.events.on('change', (change) => this.#watch(change));
  }

  /** Oldest first. */
  get items(): readonly KeyedItem[] {
    return [...this.#items.values()];
  }

  #watch(change: StateChange): void {
    if (change.kind === 'gateway' && change.connected !== this.#connected) {
      this.#connected = change.connected;
      if (change.connected) this.#note('good', 'The bot is connected');
      else this.#note('bad', 'The bot has lost its connection');
    }
    if (change.kind === 'interaction' && change.state !== 'sent') {
      const who = this.#state.user(change.userId)?.username ?? 'somebody';
      if (change.state === 'failed') this.#note('bad', `${change.label} by ${who}: no answer within 3 seconds`);
      else this.#note('plain', `${change.label} by ${who}: answered after ${Math.round(change.afterMs)} ms`);
    }
  }

  #note(tone: Tone, text: string): void {
    this.#add({ kind: 'line', at: this.#state.clock.now(), source: 'discord', tone, text });
  }

  #add(item: TimelineItem): void {
    const key = item.kind === 'delivery' ? `delivery-${item.id}` : `line-${this.#lines++}`;
    const keyed = { ...item, key };
    this.#items.set(key, keyed);
    const [oldest] = this.#items.keys();
    if (this.#items.size > maxItems && oldest !== undefined) this.#items.delete(oldest);
    this.#tell(keyed);
  }
}
