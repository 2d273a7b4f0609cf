import { hour, minute } from '@tallyhook/platform/durations';
import { readEventTime, readField } from '../fields.ts';
import { rejections } from '../rejections.ts';
import { signature } from './scheme.ts';
import type { Site } from './site.ts';

/**
 * The service of the document, which is the default. The receiver reads its deliveries with `payload.ts`, which accepts
 * more than this: premium events, nested forms, several listings with one secret.
 */
export const service: Site = {
  id: 'service',
  name: 'the listing service',
  kinds: ['server', 'bot'],
  // The document describes the signature as one of the JSON-serialised payload (section 5.7).
  schemes: [signature('x-webhook-signature', { encoding: 'lowercase hex', mayCoverJson: true })],
  errors: {
    malformed: rejections.webhook_signature_malformed.message,
    mismatch: rejections.webhook_signature_mismatch.message,
  },
  cooldownMs: 12 * hour,
  retryHorizonMs: 5 * minute,
  votePage: () => null,
  setup: { secret: 'ours' },
  read(json, { now }) {
    const userId = readField(json, 'userId');
    if (readField(json, 'test') === true) return { type: 'test', userId };
    const target = readField(json, 'serverId') ?? readField(json, 'botId');
    return { type: 'vote', userId, target, at: readEventTime(readField(json, 'timestamp'), now) };
  },
  write: ({ kind, targetId, userId, at, isTest }) => ({
    event: `${kind}_vote`,
    [`${kind}Id`]: targetId,
    userId,
    timestamp: new Date(at).toISOString(),
    ...(isTest && { test: true }),
  }),
};
