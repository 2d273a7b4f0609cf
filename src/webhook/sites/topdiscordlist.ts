import { day, minute } from '@tallyhook/platform/durations';
import { readEventTime, readField } from '../fields.ts';
import { readEventName, readFlag, readPath } from './read-delivery.ts';
import { timedSignature } from './scheme.ts';
import type { Site } from './site.ts';

/** topdiscordlist.com; not thediscordlist.com, which has a header of the same name. */
export const topdiscordlist: Site = {
  id: 'topdiscordlist',
  name: 'Top Discord List',
  kinds: ['bot', 'server'],
  schemes: [timedSignature('x-tdl-signature')],
  cooldownMs: day,
  retryHorizonMs: 261 * minute,
  // The addresses of its pages are not known.
  votePage: () => null,
  setup: { secret: 'theirs' },
  read(json, { now }) {
    // Not `user.id`, which is the site's own; nor has `listing` a Discord ID.
    const userId = readPath(json, 'user.discordId');
    const event = readEventName(readField(json, 'event'), 'event');
    if (event === 'test' || readFlag(readPath(json, 'vote.isTest'), 'vote.isTest')) return { type: 'test', userId };
    if (event !== 'vote') return { type: 'ignored', event };
    const kind = readPath(json, 'listing.type');
    return {
      type: 'vote',
      userId,
      ...((kind === 'bot' || kind === 'server') && { kind }),
      id: readPath(json, 'vote.id'),
      at: readEventTime(readPath(json, 'vote.votedAt'), now),
    };
  },
  write: ({ kind, userId, at, id, isTest }) => ({
    event: isTest ? 'test' : 'vote',
    deliveryId: `whd_${id}`,
    sentAt: new Date(at).toISOString(),
    vote: { id: `vote_${id}`, votedAt: new Date(at).toISOString(), isTest },
    user: { id: 'user_a1b2c3', username: 'voter', discordId: userId },
    listing: { type: kind, id: `${kind}_a1b2c3`, slug: 'example', name: 'Example', voteCount: 43 },
  }),
};
