import { type AuthScheme, request } from './auth-scheme.ts';
import { type SignedBody, vote } from './vote.ts';

/** Requests that need only be sent: nothing is built or signed while the clock runs. */
export interface RequestSet {
  readonly size: number;
  at(index: number): Buffer;
}

/**
 * Prepares decks. Votes are signed once and kept for whoever else sends them, because signing takes longer than all the rest;
 * a run over a million of them forgets what lies behind it.
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
