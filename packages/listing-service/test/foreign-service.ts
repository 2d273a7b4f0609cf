import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '@tallyhook/platform/clock';
import { hour, minute, second } from '@tallyhook/platform/durations';
import { onTestFinished } from 'vitest';

/*
 * A service of somebody who has read the document and nothing else, without a line of ours: it answers GET and POST, and
 * has no ETag, no HEAD, no Allow and no trailing slashes.
 */

export const foreignKeys = { server: 'srv-1f6b', bot: 'bot-99c2' };
export const foreignVoter = '318044130796109825';
const votedAgoMs = 5 * hour + 7_350;

type Json = Record<string, unknown>;

/** A response before it is sent. A fault changes it. */
export interface ForeignReply {
  status: number;
  type: string;
  body: { success: boolean; data?: unknown; error?: string; meta?: Json } | string;
}

/** What the document says with numbers, and what a fault does to the replies. */
export interface ForeignRules {
  readonly maxPerMinute: () => number;
  readonly maxReviews: number;
  readonly cooldownMs: number;
  /** Which requests count against the limit, by the status that they would have. */
  readonly counts: (status: number) => boolean;
  readonly change: (reply: ForeignReply, path: string, request: IncomingMessage) => void;
  /** Before each response (ms). */
  readonly latency: () => Promise<unknown> | null;
}

const faultless: ForeignRules = {
  maxPerMinute: () => 120,
  maxReviews: 50,
  cooldownMs: 12 * hour,
  counts: (status) => status < 404,
  change: () => {},
  latency: () => null,
};

const serverProfile = {
  id: '871',
  name: 'Quiet Library',
  description: '',
  votes: 4_211,
  monthlyVotes: 87,
  tags: ['books'],
  category: 'Reading',
  ownerDiscordId: '52',
  features: [],
  emojis: ['owl', 7],
  channelCount: 12,
  roleCount: 5,
  rules: [{ text: 'Be kind.' }],
  url: 'https://lists.example/s/871',
  stats: { members: 930, online: 64 },
};
const botProfile = {
  id: '3',
  name: 'Bookmark',
  description: 'Keeps your place.',
  votes: 12,
  tags: [],
  url: 'https://lists.example/b/3',
  stats: { servers: 4, shards: 1 },
};

/** Starts the service on a free port. Returns its base URL. */
export async function startForeignService(clock: Clock, changes: Partial<ForeignRules> = {}): Promise<string> {
  const rules = { ...faultless, ...changes };
  const requests = new Map<string, number[]>();
  const reviews = Array.from({ length: 60 }, (_, index) => ({
    username: `reader ${index}`,
    rating: 1 + ((index * 7) % 5),
    comment: index % 3 === 0 ? '' : 'Good.',
    createdAt: new Date(clock.now() - index * hour).toISOString().replace(/\.\d+/, ''),
  }));

  function voteStatus(userId: string): Json {
    if (userId !== foreignVoter) return { canVote: true, nextVoteDate: null, lastVoteDate: null, secondsUntilVote: 0 };
    const last = clock.now() - votedAgoMs;
    const next = last + rules.cooldownMs;
    return {
      canVote: false,
      nextVoteDate: new Date(next).toISOString(),
      lastVoteDate: new Date(last).toISOString(),
      secondsUntilVote: Math.floor((next - clock.now()) / second),
    };
  }

  function reviewList(query: URLSearchParams): ForeignReply {
    const [limit, sort] = [Number(query.get('limit') ?? 10), query.get('sort') ?? 'newest'];
    if (limit > 50 && rules.maxReviews === 50) return failure(400, 'limit is at most 50');
    const sign = { newest: 0, highest: -1, lowest: 1 }[sort];
    if (sign === undefined) return failure(400, 'unknown sort');
    const data = reviews.toSorted((a, b) => sign * (a.rating - b.rating)).slice(0, Math.min(limit, rules.maxReviews));
    return { ...success(data), body: { success: true, data, meta: { total: reviews.length, shown: data.length } } };
  }

  function respond(method: string, path: string, query: URLSearchParams, key: string | null): ForeignReply {
    if (!/^\/(server|bot|reviews|votes\/[^/]+)$/.test(path)) return failure(404, 'no such path');
    if (method !== 'GET') return failure(405, 'read-only');
    if (key !== foreignKeys.server && key !== foreignKeys.bot) return failure(401, 'unknown key');
    const needed = { '/server': foreignKeys.server, '/reviews': foreignKeys.server, '/bot': foreignKeys.bot }[path];
    if (needed !== undefined && needed !== key) return failure(400, 'wrong kind of key');
    if (path === '/server') return success({ ...serverProfile });
    if (path === '/bot') return success({ ...botProfile });
    if (path === '/reviews') return reviewList(query);
    const userId = path.slice('/votes/'.length);
    return /^\d+$/.test(userId) ? success(voteStatus(userId)) : failure(400, 'not numeric');
  }

  /** Whether the key has used up its minute. Counts the request otherwise. */
  function isLimited(key: string | null, status: number): boolean {
    if (key === null || status === 401 || !rules.counts(status)) return false;
    const now = clock.monotonic();
    const recent = (requests.get(key) ?? []).filter((at) => at > now - minute);
    const isFull = recent.length >= rules.maxPerMinute();
    requests.set(key, isFull ? recent : [...recent, now]);
    return isFull;
  }

  const server = createServer((request, response) => {
    void (async () => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
      const path = pathname.replace('/api/v1', '');
      const key = request.headers['x-api-key']?.toString() ?? searchParams.get('key');
      await rules.latency();
      const planned = respond(request.method ?? '', path, searchParams, key);
      const reply = isLimited(key, planned.status) ? failure(429, 'slow down') : planned;
      rules.change(reply, path, request);
      response.writeHead(reply.status, { 'Content-Type': reply.type });
      response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
}

function success(data: unknown): ForeignReply {
  return { status: 200, type: 'application/json', body: { success: true, data } };
}

function failure(status: number, error: string): ForeignReply {
  return { status, type: 'application/json; charset=utf-8', body: { success: false, error } };
}
