import type { Clock } from '../../platform/clock.ts';

/** Discord's epoch, 2015-01-01 (ms since the Unix epoch). Discord: "Snowflakes". */
const discordEpoch = 1_420_070_400_000;

/**
 * A generator of snowflakes with the current time. They are strictly increasing, even if the clock does not advance.
 */
export function createSnowflakes(clock: Clock): () => string {
  let last = 0n;
  return () => {
    const fromClock = BigInt(Math.max(0, Math.floor(clock.now()) - discordEpoch)) << 22n;
    last = fromClock > last ? fromClock : last + 1n;
    return String(last);
  };
}

/** The creation time of a snowflake (ms since the Unix epoch). */
export function snowflakeTimestamp(snowflake: string): number {
  return Number(BigInt(snowflake) >> 22n) + discordEpoch;
}
