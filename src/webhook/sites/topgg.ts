import { hour, minute } from '@tallyhook/platform/durations';
import { type Fields, readEventTime, readField, readObject } from '../fields.ts';
import { readEventName, readFlag, readTimeOrNull } from './read-delivery.ts';
import { timedSignature, token } from './scheme.ts';
import type { Reading, Site } from './site.ts';

export const topggSignature = timedSignature('x-topgg-signature');

/** Webhooks that were created since 2026 are of version 1 and signed; those of version 0 carry a token. */
export const topgg: Site = {
  id: 'topgg',
  name: 'top.gg',
  kinds: ['bot', 'server'],
  schemes: [topggSignature, token()],
  cooldownMs: 12 * hour,
  // Version 0 tries ten times, 2^N seconds apart.
  retryHorizonMs: 35 * minute,
  votePage: ({ kind, id }) => id && `https://top.gg/${kind === 'bot' ? 'bot' : 'servers'}/${id}/vote`,
  setup: { secret: 'theirs', secretPrefix: 'whs_', event: 'vote.create' },
  read: (json, { now, scheme }) =>
    (scheme?.type ?? formOf(json)) === 'signature' ? readVersion1(json, now) : readVersion0(json),
  write({ kind, targetId, userId, at, id, isTest }) {
    const user = { id: '140862798832861184', platform_id: userId, name: 'voter', avatar_url: null };
    const project = { id: '803190510032756736', type: kind, platform: 'discord', platform_id: targetId };
    if (isTest) return { type: 'webhook.test', data: { user, project } };
    const times = { created_at: writeTime(at), expires_at: writeTime(at + 12 * hour) };
    return { type: 'vote.create', data: { id, weight: 1, ...times, project, user } };
  },
  olderForms: [
    ['bot', 'user', 'type', 'isWeekend'],
    ['guild', 'user', 'type'],
  ],
};

/** With seven digits of the second. */
const writeTime = (at: number) => new Date(at).toISOString().replace('Z', '0000+00:00');

/** The log does not say by which scheme a delivery came. */
const formOf = (json: Fields) => (readField(json, 'data') === undefined ? 'token' : 'signature');

function readVersion1(json: Fields, now: number): Reading {
  const event = readEventName(readField(json, 'type'), 'type');
  // Not `user.id`, which is top.gg's own.
  const data = readObject(json, 'data');
  const userId = readField(readObject(data, 'user'), 'platform_id');
  if (event === 'webhook.test') return { type: 'test', userId };
  if (event !== 'vote.create') return { type: 'ignored', event };
  const project = readObject(data, 'project');
  const kind = readField(project, 'type');
  if (readField(project, 'platform') !== 'discord' || (kind !== 'bot' && kind !== 'server'))
    return { type: 'unclear', reason: 'the vote is not for a bot or server on Discord' };
  return {
    type: 'vote',
    userId,
    kind,
    target: readField(project, 'platform_id'),
    id: readField(data, 'id'),
    at: readEventTime(readField(data, 'created_at'), now),
    nextVoteAt: readTimeOrNull(readField(data, 'expires_at')),
    weight: readField(data, 'weight'),
  };
}

function readVersion0(json: Fields): Reading {
  if (formOf(json) === 'signature') return { type: 'unclear', reason: 'a delivery of version 1 without its signature' };
  const userId = readField(json, 'user');
  const event = readEventName(readField(json, 'type'), 'type');
  if (event === 'test') return { type: 'test', userId };
  if (event !== 'upvote') return { type: 'ignored', event };
  const guild = readField(json, 'guild');
  const weight = readFlag(readField(json, 'isWeekend'), 'isWeekend') ? 2 : 1;
  return {
    type: 'vote',
    userId,
    ...(guild !== undefined && { kind: 'server' }),
    target: guild ?? readField(json, 'bot'),
    weight,
  };
}
