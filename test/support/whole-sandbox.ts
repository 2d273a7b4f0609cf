import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import type { TimelineDelivery, TimelineItem } from '../../src/sandbox/page/ports.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';

/** A complete sandbox with a connected bot, until the test has finished. */
export async function wholeSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.stop());
  while (!sandbox.discord.connected) await once(sandbox.discord.events, 'change');
  return sandbox;
}

/** Collects timeline items; `delivery` waits for a matching delivery. */
export function timelineOf(sandbox: Sandbox) {
  const items: TimelineItem[] = [];
  sandbox.events.on('timeline', (item) => items.push(item));
  return {
    items,
    async delivery(matches: (delivery: TimelineDelivery) => boolean): Promise<TimelineDelivery> {
      for (;;) {
        const delivery = items.find((item): item is TimelineDelivery => item.kind === 'delivery' && matches(item));
        if (delivery !== undefined) return delivery;
        await new Promise((resolve) => sandbox.events.once('timeline', resolve));
      }
    },
  };
}

export const stepsOf = ({ steps }: TimelineDelivery) => steps.map(({ name }) => name);
