import type { OwnedLookup } from './client.ts';

/** A lookup whose API key can be exchanged. */
export interface Rekeyable {
  readonly lookup: OwnedLookup;
  /** Makes all ready for another key and returns what then exchanges it. Throws what making a lookup throws; then all stays as it was. */
  prepare(key: string): () => void;
}

/** Questions that are under way end with the key that they began with. Throws what `make` throws. */
export function createRekeyable(make: (key: string) => OwnedLookup, firstKey: string): Rekeyable {
  let key = firstKey;
  let current = make(key);
  return {
    lookup: {
      kind: current.kind,
      profile: () => current.profile(),
      voteStatus: (userId) => current.voteStatus(userId),
      reviews: (query) => current.reviews(query),
      standing: () => current.standing(),
    },
    prepare(nextKey) {
      const next = nextKey === key ? current : make(nextKey);
      return () => {
        key = nextKey;
        current = next;
      };
    },
  };
}
