import { hour, minute } from '@tallyhook/platform/durations';
import { readField } from '../fields.ts';
import { token } from './scheme.ts';
import type { Site } from './site.ts';

/** Its deliveries name no bot, no time, and are never tests. The older header `X-DBL-Signature` is not accepted. */
export const discordbotlist: Site = {
  id: 'discordbotlist',
  name: 'discordbotlist.com',
  kinds: ['bot'],
  schemes: [token()],
  cooldownMs: 12 * hour,
  // Its retries are not documented.
  retryHorizonMs: 30 * minute,
  votePage: ({ slug }) => slug && `https://discordbotlist.com/bots/${encodeURIComponent(slug)}/upvote`,
  setup: { secret: 'ours' },
  read: (json) => ({ type: 'vote', userId: readField(json, 'id') }),
  write: ({ userId }) => ({ avatar: null, username: 'voter', id: userId }),
};
