import type { Message } from '../discord/shapes.ts';
import type { Change, World } from '../discord/world.ts';
import type { PagePorts, TimelineLine } from './ports.ts';

const kept = 200;

/** What happened so far: what the sandbox reports, and what can be seen of the bot on Discord. */
export class Timeline {
  readonly lines: TimelineLine[] = [];
  readonly #world: World;
  readonly #tell: (line: TimelineLine) => void;
  #connected = false;

  constructor(world: World, source: PagePorts['timeline'], tell: (line: TimelineLine) => void) {
    this.#world = world;
    this.#tell = tell;
    source.on('line', (line) => this.#add(line));
    world.events.on('change', (change) => this.#watch(change));
  }

  #watch(change: Change): void {
    if (change.kind === 'gateway' && change.connected !== this.#connected) {
      this.#connected = change.connected;
      if (change.connected) this.#note('good', 'The bot is connected');
      else this.#note('bad', 'The bot has lost its connection');
    }
    if (change.kind === 'message' && isAnnouncement(change.message)) {
      this.#note('good', `The bot wrote in ${this.#placeOf(change.message)}`);
    }
    if (change.kind === 'interaction' && change.state !== 'sent') {
      const who = this.#world.user(change.userId)?.username ?? 'somebody';
      if (change.state === 'failed') this.#note('bad', `${change.label} by ${who}: no answer within 3 seconds`);
      else this.#note('plain', `${change.label} by ${who}: answered after ${Math.round(change.afterMs)} ms`);
    }
  }

  #placeOf(message: Message): string {
    const channel = this.#world.channels.get(message.channel_id);
    return channel?.type === 0 ? `#${channel.name}` : 'a direct message';
  }

  #note(tone: TimelineLine['tone'], text: string): void {
    this.#add({ at: this.#world.clock.now(), where: 'discord', tone, text });
  }

  #add(line: TimelineLine): void {
    this.lines.push(line);
    if (this.lines.length > kept) this.lines.shift();
    this.#tell(line);
  }
}

/** A new message of the bot that answers nobody. */
function isAnnouncement(message: Message): boolean {
  return message.interaction_metadata === undefined && message.edited_timestamp === null;
}
