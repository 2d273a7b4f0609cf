import { hour, minute } from '../../src/platform/durations.ts';
import type { Shown } from './stage.ts';
import type { AnswerState, Scene } from './state.ts';

const state = (name: string, title: string, show: AnswerState['show']): AnswerState => ({ name, title, show });

/** The listing service cannot be reached. */
export const outageScene: Scene = {
  title: 'Failures',
  states: [
    state('service-down', 'The service cannot be reached', async (stage) => {
      stage.sandbox.outages.service.begin(hour);
      return stage.run('stats', { listing: 'bot' });
    }),
    state('service-down-stale', 'The service cannot be reached: earlier data', async (stage) => {
      stage.sandbox.outages.service.end();
      await stage.run('reviews');
      stage.pass(5 * hour);
      stage.sandbox.outages.service.begin(hour);
      return stage.run('reviews');
    }),
  ],
};

/** More requests than the service allows in a minute. */
export const budgetScene: Scene = {
  title: 'Too many requests',
  states: [
    state('over-budget', 'Too many requests to the service', async (stage) => {
      let last: Shown | undefined;
      for (const sort of ['newest', 'highest', 'lowest']) {
        for (let limit = 1; limit <= 50; limit += 1) last = await stage.run('reviews', { sort, limit });
      }
      if (last === undefined) throw new Error('No command was run.');
      stage.pass(minute);
      return last;
    }),
  ],
};
