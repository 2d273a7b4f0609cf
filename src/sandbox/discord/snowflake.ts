import type { Clock } from '../../platform/clock.ts';

/** Discord's epoch, the first second of 2015 (ms since the Unix epoch). Discord: "Snowflakes". */
const discordEpoch = 1_420_070_400_000;

/**
 * A source of snowflakes that carry the moment they were drawn, always rising, however fast they are drawn and even when the
 * clock stands still.
 */
export function createSnowflakes(clock: Clock): () => string {
  let last = 0n;
  return () => {
    const fromClock = BigInt(Math.max(0, Math.floor(clock.now()) - discordEpoch)) << 22n;
    last = fromClock > last ? fromClock : last + 1n;
    return String(last);
  };
}

/** The moment at which a snowflake was drawn (ms since the Unix epoch). */
export function snowflakeTimestamp(snowflake: string): number {
  return Number(BigInt(snowflake) >> 22n) + discordEpoch;
}
