import type { LookupClient } from './client.ts';

/** A lookup whose API key can be exchanged. */
export interface RotatableClient {
  readonly lookup: LookupClient;
  /** Makes all ready for another key and returns what then exchanges it. Throws what making a lookup throws; then all stays as it was. */
  prepare(key: string): () => void;
}

/** Questions that are under way end with the key that they began with. Throws what `make` throws. */
export function createRotatableClient(make: (key: string) => LookupClient, firstKey: string): RotatableClient {
  let key = firstKey;
  let current = make(key);
  return {
    lookup: {
      kind: current.kind,
      profile: () => current.profile(),
      voteStatus: (userId) => current.voteStatus(userId),
      reviews: (query) => current.reviews(query),
      keyStatus: () => current.keyStatus(),
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
