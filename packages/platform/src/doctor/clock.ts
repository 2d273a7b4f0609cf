import type { Clock } from '../clock.ts';
import { formatDuration, hour, minute, second } from '../durations.ts';
import { type Finding, fail, pass, warn } from './check.ts';
import { probeHttp } from './http-probe.ts';

/** Offsets up to this may be of the measurement: whole seconds, and the way of the response (ms). */
const maxIgnoredOffsetMs = 5 * second;
/** Votes with a timestamp further in the future than this are quarantined (ms). */
const maxToleratedOffsetMs = 5 * minute;

/**
 * A server whose clock is compared, by the Date header of any response (RFC 9110, section 6.6.1). No API key is sent.
 */
export interface TimeSource {
  readonly name: string;
  readonly url: string;
}

/** Consequences of a clock that is behind or ahead, a sentence each. */
export interface ClockConsequences {
  readonly behind: string;
  readonly ahead: string;
}

const consequencesForBot: ClockConsequences = {
  behind: 'New votes have timestamps in the future and are quarantined.',
  ahead: 'Cooldowns end too early or too late.',
};

/** Compares the clock of this machine with the clocks of the sources. */
export async function checkClock(
  sources: readonly TimeSource[],
  clock: Clock,
  timeoutMs: number,
  consequences: ClockConsequences = consequencesForBot,
): Promise<Finding[]> {
  const findings = await Promise.all(
    sources.map(async ({ name, url }) => {
      const offset = await measureOffset(url, clock, timeoutMs);
      return offset === null ? [] : [evaluateOffset(name, offset, consequences)];
    }),
  );
  if (findings.flat().length > 0) return findings.flat();
  return [warn('Clock check skipped: no server returned a Date header.')];
}

/** How far the clock of this machine is ahead (ms, accurate to about a second); null without a Date header. */
async function measureOffset(url: string, clock: Clock, timeoutMs: number): Promise<number | null> {
  const startedAt = clock.now();
  const result = await probeHttp(url, {}, timeoutMs);
  const midpoint = (startedAt + clock.now()) / 2;
  const serverTime = result.status === null ? Number.NaN : Date.parse(result.headers.get('date') ?? '');
  // The Date header has whole seconds, so the true time is half a second later on average.
  return Number.isNaN(serverTime) ? null : midpoint - (serverTime + second / 2);
}

/** @param offset how far the clock of this machine is ahead (ms) */
export function evaluateOffset(name: string, offset: number, consequences = consequencesForBot): Finding {
  const size = Math.abs(offset);
  if (size <= maxIgnoredOffsetMs) return pass(`The clock agrees with ${name}.`);
  const message = `The clock is ${formatOffset(size)} ${offset > 0 ? 'ahead of' : 'behind'} ${name}.`;
  const hint = 'Synchronize the clock with NTP (chrony, or `timedatectl set-ntp true`).';
  if (size <= maxToleratedOffsetMs) return warn(message, hint);
  return fail(`${message} ${offset < 0 ? consequences.behind : consequences.ahead}`, hint);
}

function formatOffset(ms: number): string {
  if (ms < 2 * minute) return `${Math.round(ms / second)} s`;
  return ms < 2 * hour ? `${Math.round(ms / minute)} min` : formatDuration(ms);
}
