import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hour } from '@tallyhook/platform/durations';
import { z } from 'zod';
import type { Stage } from './stage.ts';
import { type Scene, state } from './state.ts';

/** The listing service cannot be reached. */
export const outageScene: Scene = {
  title: 'Failures',
  states: [
    state('service-down', 'The service cannot be reached', 'cannot be reached', async (stage) => {
      stage.sandbox.outages.service.begin(hour);
      return stage.run('stats', { listing: 'bot' });
    }),
    state(
      'service-down-stale',
      'The service cannot be reached: earlier data',
      'did not respond. Last updated',
      async (stage) => {
        stage.sandbox.outages.service.end();
        await stage.run('reviews');
        stage.pass(5 * hour);
        stage.sandbox.outages.service.begin(hour);
        return stage.run('reviews');
      },
    ),
  ],
};

/** More requests than the service allows in a minute. */
export const budgetScene: Scene = {
  title: 'Too many requests',
  states: [
    state('over-budget', 'Too many requests to the service', 'limits the requests', async (stage) => {
      await exhaustBudget(stage);
      return stage.run('stats');
    }),
  ],
};

const listingsSchema = z.object({ listings: z.array(z.object({ kind: z.string(), lookupKey: z.string() })) });

/** Uses up the requests of the bot's keys, as another program with the same keys would. */
async function exhaustBudget({ sandbox: { directory, service } }: Stage): Promise<void> {
  const file: unknown = JSON.parse(await readFile(join(directory, 'listings.json'), 'utf8'));
  for (const { kind, lookupKey } of listingsSchema.parse(file).listings) {
    const headers = { 'x-api-key': lookupKey };
    for (let requests = 0; requests < 200; requests += 1) {
      const { status } = await fetch(`${service.baseUrl}/${kind}`, { headers });
      if (status === 429) break;
    }
  }
}
