import { type AuthScheme, request } from './auth-scheme.ts';
import { type SignedBody, vote } from './vote.ts';

/** Prepared requests: nothing is built or signed during the measurement. */
export interface RequestSet {
  readonly size: number;
  at(index: number): Buffer;
}

/**
 * Prepares request sets. Signed votes are cached for the other contenders, because signing takes longer than everything else;
 * the soak run does not cache them.
 */
export function createRequestSource(): {
  deal(options: { dialect: AuthScheme; path: string; from: number; count: number }): RequestSet;
  forget(): void;
} {
  const signed = new Map<number, SignedBody>();

  function known(number: number): SignedBody {
    const made = signed.get(number) ?? vote(number);
    signed.set(number, made);
    return made;
  }

  return {
    deal({ dialect, path, from, count }) {
      const texts = Array.from({ length: count }, (_, at) => request(dialect, path, known(from + at), from + at));
      const bytes = Buffer.from(texts.join(''));
      let end = 0;
      const ends = Uint32Array.from(texts, (text) => (end += Buffer.byteLength(text)));
      return { size: count, at: (index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], ends[index]) };
    },
    forget: () => signed.clear(),
  };
}
