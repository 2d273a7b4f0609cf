import { hour, minute } from '@tallyhook/platform/durations';
import { isObject, readField } from '../fields.ts';
import { readEventName } from './read-delivery.ts';
import { token } from './scheme.ts';
import type { Site } from './site.ts';

/** Once botsfordiscord.com. Deliveries of the older form also list everyone who has voted in the month. */
export const discords: Site = {
  id: 'discords',
  name: 'discords.com',
  kinds: ['bot'],
  // Some 40,000 voters.
  maxBodyBytes: 1024 * 1024,
  schemes: [token()],
  cooldownMs: 12 * hour,
  // Its retries are not documented.
  retryHorizonMs: 30 * minute,
  votePage: ({ id }) => id && `https://discords.com/bots/bot/${id}/vote`,
  setup: { secret: 'ours' },
  // The other voters would be in the delivery of each, and could not be forgotten.
  condense(json) {
    const votes = readField(json, 'votes');
    if (!isObject(votes)) return json;
    const numbers = Object.entries(votes).map(([name, value]) => [name, Array.isArray(value) ? value.length : value]);
    return { ...json, votes: Object.fromEntries(numbers) };
  },
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
