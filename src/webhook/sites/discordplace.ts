import { day, minute } from '@tallyhook/platform/durations';
import { readField } from '../fields.ts';
import { readFlag } from './read-delivery.ts';
import { token } from './scheme.ts';
import type { Site } from './site.ts';

/** Waits 2 s for the response, and then sends the delivery never again. Sends no header without a token. */
export const discordplace: Site = {
  id: 'discordplace',
  name: 'discord.place',
  kinds: ['bot', 'server'],
  schemes: [token()],
  cooldownMs: day,
  retryHorizonMs: minute,
  votePage: ({ kind, id }) => id && `https://discord.place/${kind === 'bot' ? 'bots' : 'servers'}/${id}`,
  setup: { secret: 'ours' },
  read(json) {
    const userId = readField(json, 'user');
    if (readFlag(readField(json, 'test'), 'test')) return { type: 'test', userId };
    const guild = readField(json, 'guild');
    const bot = readField(json, 'bot');
    if (guild === undefined && bot === undefined) return { type: 'vote', userId };
    return { type: 'vote', userId, kind: guild === undefined ? 'bot' : 'server', target: guild ?? bot };
  },
  write: ({ kind, targetId, userId, isTest }) => ({
    [kind === 'bot' ? 'bot' : 'guild']: targetId,
    user: userId,
    test: isTest,
  }),
};
