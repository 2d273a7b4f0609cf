import { type AuthScheme, request } from './auth-scheme.ts';
import { type SignedBody, type VoteSeries, vote } from './vote.ts';

/** Prepared requests: nothing is built or signed during the measurement. */
export interface RequestSet {
  readonly size: number;
  at(index: number): Buffer;
  /** All requests, one after the other, and the end of each (bytes). */
  readonly bytes: Buffer;
  readonly ends: Uint32Array;
}

export interface RequestSetOptions {
  readonly dialect: AuthScheme;
  readonly path: string;
  readonly series: VoteSeries;
  /** The number of the first vote. */
  readonly from: number;
  readonly count: number;
}

/** Votes of a series that are kept for the other contenders, because signing takes longer than everything else. */
const maxCachedVotes = 150_000;

export function createRequestSource(): { deal(options: RequestSetOptions): RequestSet } {
  const caches = new Map<string, Map<number, SignedBody>>();

  function createSigner(series: VoteSeries): (number: number) => SignedBody {
    const name = JSON.stringify(series);
    const cache = caches.get(name) ?? new Map<number, SignedBody>();
    caches.set(name, cache);
    return (number) => {
      const signed = cache.get(number) ?? vote(number, series);
      if (number < maxCachedVotes) cache.set(number, signed);
      return signed;
    };
  }

  return {
    deal({ dialect, path, series, from, count }) {
      const signed = createSigner(series);
      const texts = Array.from({ length: count }, (_, at) => request(dialect, path, signed(from + at), from + at));
      const bytes = Buffer.from(texts.join(''));
      let end = 0;
      const ends = Uint32Array.from(texts, (text) => (end += Buffer.byteLength(text)));
      const at = (index: number) => bytes.subarray(index === 0 ? 0 : ends[index - 1], ends[index]);
      return { size: count, at, bytes, ends };
    },
  };
}
