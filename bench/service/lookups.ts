import type { RequestSet } from '../load/request-set.ts';

export const endpoints = ['server', 'bot', 'votes', 'reviews'] as const;
export type Endpoint = (typeof endpoints)[number];

export interface LookupKey {
  readonly kind: 'server' | 'bot';
  readonly id: string;
  readonly key: string;
}

const firstMemberId = 100_000_000_000_000_000n;
const memberIdStep = 4_194_305n;

/** Requests of one endpoint with the keys in turn. `members` is the number of users whose votes are looked up. */
export function lookupRequests(
  endpoint: Endpoint | 'constant',
  keys: readonly LookupKey[],
  { count, members, etag }: { count: number; members: number; etag?: (key: string) => string | undefined },
): RequestSet {
  const texts = Array.from({ length: count }, (_, at) => {
    const { key } = keys[at % keys.length] ?? { key: '' };
    const condition = etag?.(key);
    const lines = [
      `GET ${pathOf(endpoint, at, members)} HTTP/1.1`,
      'Host: 127.0.0.1',
      `X-API-Key: ${key}`,
      ...(condition === undefined ? [] : [`If-None-Match: ${condition}`]),
    ];
    return `${lines.join('\r\n')}\r\n\r\n`;
  });
  const bytes = Buffer.from(texts.join(''));
  let end = 0;
  const ends = Uint32Array.from(texts, (text) => (end += Buffer.byteLength(text)));
  const at = (index: number) => bytes.subarray(index === 0 ? 0 : ends[index - 1], ends[index]);
  return { size: count, at, bytes, ends };
}

export function pathOf(endpoint: Endpoint | 'constant', at: number, members: number): string {
  if (endpoint === 'constant') return '/constant';
  if (endpoint !== 'votes') return `/api/v1/${endpoint}`;
  return `/api/v1/votes/${firstMemberId + BigInt((at * 7_919) % members) * memberIdStep}`;
}
