import { BoundedMap } from '@tallyhook/platform/bounded-map';
import { formatElapsed } from '@tallyhook/platform/durations';
import type { DiscordState } from '../discord-state.ts';

/** How a line is shown: as success, neutral, or as a problem. */
export type Tone = 'good' | 'plain' | 'bad';

/** Something that happened on Discord. */
export interface ActivityLine {
  readonly key: string;
  /** ms since the epoch */
  readonly at: number;
  /** `plain`: the bot has responded to a member. */
  readonly tone: Tone;
  readonly text: string;
}

/** Number of lines that are stored. */
const maxLines = 200;

/** Records when the bot connects, and how fast it responds to members. */
export function recordActivity(state: DiscordState, onLine: (line: ActivityLine) => void) {
  const lines = new BoundedMap<ActivityLine>(maxLines);
  let count = 0;
  let isConnected = false;

  function add(tone: Tone, text: string): void {
    const line = { key: `activity-${count++}`, at: state.clock.now(), tone, text };
    lines.set(line.key, line);
    onLine(line);
  }

  state.events.on('change', (change) => {
    if (change.kind === 'gateway' && change.connected !== isConnected) {
      isConnected = change.connected;
      add(isConnected ? 'good' : 'bad', `The bot is ${isConnected ? 'connected' : 'disconnected'}`);
    }
    if (change.kind === 'interaction' && change.state !== 'sent') {
      const username = state.user(change.userId)?.username ?? 'An unknown user';
      const action = `${username} ${change.action}`;
      if (change.state === 'failed') add('bad', `${action}: no response within 3 seconds`);
      else add('plain', `${action}: responded after ${formatElapsed(change.afterMs)}`);
    }
  });
  return {
    /** Oldest first. */
    get lines(): readonly ActivityLine[] {
      return [...lines.values()];
    },
    get isConnected(): boolean {
      return isConnected;
    },
  };
}
