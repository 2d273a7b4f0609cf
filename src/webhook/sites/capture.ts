import { day } from '@tallyhook/platform/durations';
import type { NoScheme } from './scheme.ts';
import type { Site } from './site.ts';

const none: NoScheme = { type: 'none' };

/**
 * No site: stores deliveries with the names of their headers and pays nothing, so that an owner can show what a site that
 * tallyhook does not know sends.
 */
export const capture: Site = {
  id: 'capture',
  name: 'capture',
  kinds: ['bot', 'server'],
  schemes: [none],
  cooldownMs: day,
  retryHorizonMs: 0,
  votePage: () => null,
  setup: { secret: 'ours' },
  read: () => ({ type: 'unclear', reason: 'captured' }),
  write: ({ targetId, userId }) => ({ target: targetId, user: userId }),
};
