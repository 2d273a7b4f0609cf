import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import type { TimelineDelivery, TimelineItem } from '../../src/sandbox/page/ports.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';

/** The whole sandbox with the bot online, for as long as the test lasts. */
export async function wholeSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.stop());
  while (!sandbox.discord.connected) await once(sandbox.discord.events, 'change');
  return sandbox;
}

/** What the timeline tells; `delivery` waits for one that has come so far. */
export function timelineOf(sandbox: Sandbox) {
  const told: TimelineItem[] = [];
  sandbox.events.on('timeline', (item) => told.push(item));
  return {
    told,
    async delivery(matches: (delivery: TimelineDelivery) => boolean): Promise<TimelineDelivery> {
      for (;;) {
        const found = told.find((item): item is TimelineDelivery => item.kind === 'delivery' && matches(item));
        if (found !== undefined) return found;
        await new Promise((resolve) => sandbox.events.once('timeline', resolve));
      }
    },
  };
}

export const stepsOf = ({ steps }: TimelineDelivery) => steps.map(({ name }) => name);
