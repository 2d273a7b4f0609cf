/** The channels that have to rest for a while, because Discord asks for it; what is meant for others goes on meanwhile. */
export interface Rests {
  /** @param until ms since the epoch */
  begin(channelId: string, until: number): void;
  /** The channels that rest at `now` (ms since the epoch). */
  at(now: number): readonly string[];
  /** When the next rest ends (ms since the epoch); null when nobody rests. */
  nextEnd(): number | null;
}

export function createRests(): Rests {
  const ends = new Map<string, number>();

  return {
    begin(channelId, until) {
      ends.set(channelId, until);
    },
    at(now) {
      for (const [channelId, until] of ends) if (until <= now) ends.delete(channelId);
      return [...ends.keys()];
    },
    nextEnd: () => (ends.size === 0 ? null : Math.min(...ends.values())),
  };
}
