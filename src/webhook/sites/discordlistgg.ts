import { hour, minute } from '@tallyhook/platform/durations';
import type { JwsScheme } from './scheme.ts';
import type { Site } from './site.ts';

const jws: JwsScheme = { type: 'jws' };

/** Its deliveries are verified and stored, but not paid: no source says for certain what their fields are called. */
export const discordlistgg: Site = {
  id: 'discordlistgg',
  name: 'discordlist.gg',
  kinds: ['bot'],
  schemes: [jws],
  cooldownMs: 12 * hour,
  retryHorizonMs: 30 * minute,
  votePage: ({ id }) => id && `https://discordlist.gg/bot/${id}/vote`,
  setup: { secret: 'theirs' },
  read: () => ({ type: 'unclear', reason: 'the fields of discordlist.gg are not known yet' }),
  write: ({ targetId, userId, at, isTest }) => ({
    userId,
    botId: targetId,
    timestamp: new Date(at).toISOString(),
    isTest,
  }),
};
