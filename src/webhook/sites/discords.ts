import { hour, minute } from '../../platform/durations.ts';
import { readField } from '../fields.ts';
import { readEventName } from './read-delivery.ts';
import { token } from './scheme.ts';
import type { Site } from './site.ts';

/** Once botsfordiscord.com. Older deliveries also have long lists of voters. */
export const discords: Site = {
  id: 'discords',
  name: 'discords.com',
  kinds: ['bot'],
  schemes: [token()],
  cooldownMs: 12 * hour,
  // Its retries are not documented.
  retryHorizonMs: 30 * minute,
  votePage: ({ id }) => id && `https://discords.com/bots/bot/${id}/vote`,
  setup: { secret: 'ours' },
  read(json) {
    const userId = readField(json, 'user');
    const event = readEventName(readField(json, 'type'), 'type');
    if (event === 'test') return { type: 'test', userId };
    if (event !== 'vote' && event !== 'premium_vote') return { type: 'ignored', event };
    return { type: 'vote', userId, target: readField(json, 'bot') };
  },
  write: ({ targetId, userId, isTest }) => ({
    user: userId,
    bot: targetId,
    query: {},
    engine: 'IridiumNode-v16.18.1',
    type: isTest ? 'test' : 'vote',
  }),
};
