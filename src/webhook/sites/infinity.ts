import { hour } from '@tallyhook/platform/durations';
import { readField, readObject } from '../fields.ts';
import { readEventName, readFlag, readPath, readSeconds } from './read-delivery.ts';
import { signature, token } from './scheme.ts';
import type { Site } from './site.ts';

/**
 * Infinity Bots, now Omniplex. Accepts the protocols `hmac-sha256` and `simple-auth`. It sends deliveries with a random
 * secret on purpose, and switches a webhook off that does not reject them with 401.
 */
export const infinity: Site = {
  id: 'infinity',
  name: 'Infinity Bots',
  kinds: ['bot', 'server'],
  schemes: [signature('x-webhook-signature', { prefix: 'sha256=' }), token()],
  cooldownMs: 12 * hour,
  // It never retries, but sends what was pending when it starts again.
  retryHorizonMs: 0,
  votePage: ({ kind, id }) => id && `https://omniplex.gg/${kind}/${id}/vote`,
  setup: { secret: 'ours', choice: 'hmac-sha256' },
  read(json, { now }) {
    const metadata = readObject(json, 'metadata');
    const userId = readPath(json, 'creator.id');
    if (readFlag(readField(metadata, 'test'), 'metadata.test')) return { type: 'test', userId };
    const event = readEventName(readField(json, 'type'), 'type');
    if (event !== 'NEW_VOTE') return { type: 'ignored', event };
    if (readFlag(readPath(json, 'data.downvote'), 'data.downvote')) return { type: 'ignored', event: 'NEW_VOTE down' };
    const targets = readObject(json, 'targets');
    if (readField(targets, 'team') !== undefined) return { type: 'ignored', event: 'NEW_VOTE of a team' };
    const kind = readField(targets, 'server') === undefined ? 'bot' : 'server';
    const target = readObject(targets, kind);
    return {
      type: 'vote',
      userId,
      ...(readField(targets, kind) !== undefined && { kind }),
      target: readField(target, `${kind}_id`) ?? readField(target, 'id'),
      at: readSeconds(readField(metadata, 'created_at'), 'metadata.created_at', now),
      weight: readPath(json, 'data.per_user'),
    };
  },
  write: ({ kind, targetId, userId, at, isTest }) => ({
    creator: { id: userId, username: 'voter' },
    type: 'NEW_VOTE',
    data: { votes: 1, per_user: 1, downvote: false },
    targets: { [kind]: { [`${kind}_id`]: targetId } },
    metadata: { created_at: Math.floor(at / 1_000), test: isTest },
  }),
};
