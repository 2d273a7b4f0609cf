import type { Clock } from '../../platform/clock.ts';
import { minute, second } from '../../platform/durations.ts';
import { type Finding, fail, pass, warn } from './finding.ts';
import { probeHttp } from './http-probe.ts';

/** A smaller difference harms nobody (ms). */
const noted = 30 * second;
/** As far ahead of us as a vote may be before it is quarantined. */
const tooFar = 5 * minute;

/** Whose clock is asked: any of their answers carries one (RFC 9110, section 6.6.1). No key is sent along, so no budget counts it. */
export interface TimeSource {
  readonly name: string;
  readonly url: string;
}

/** Compares our clock with the others'. `patience` in ms. */
export async function checkClock(sources: readonly TimeSource[], clock: Clock, patience: number): Promise<Finding[]> {
  const offsets = await Promise.all(
    sources.map(async ({ name, url }) => ({ name, offset: await offsetFrom(url, clock, patience) })),
  );
  const known = offsets.flatMap(({ name, offset }) => (offset === null ? [] : [evaluateOffset(name, offset)]));
  return known.length > 0 ? known : [warn('The clock could not be compared: nobody told the time.')];
}

/** How far our clock is ahead of theirs (ms), to about a second; null when they do not tell. */
async function offsetFrom(url: string, clock: Clock, patience: number): Promise<number | null> {
  const asked = clock.now();
  const reached = await probeHttp(url, {}, patience);
  const between = (asked + clock.now()) / 2;
  const told = reached.status === null ? Number.NaN : Date.parse(reached.headers.get('date') ?? '');
  // A date header leaves out the part of the second that has passed.
  return Number.isNaN(told) ? null : between - (told + second / 2);
}

/** `offset`: how far our clock is ahead of theirs (ms). */
export function evaluateOffset(name: string, offset: number): Finding {
  const size = Math.abs(offset);
  if (size <= noted) return pass(`The clock agrees with ${name}.`);
  const found = `The clock is ${inWords(size)} ${offset > 0 ? 'ahead of' : 'behind'} ${name}.`;
  const cure = 'Let the machine keep its time by itself (chrony, or timedatectl set-ntp true).';
  if (size <= tooFar) return warn(found, cure);
  const consequence =
    offset < 0
      ? 'New votes look like votes from the future and are quarantined.'
      : 'Cooldowns end too early or too late.';
  return fail(`${found} ${consequence}`, cure);
}

function inWords(ms: number): string {
  return ms < 2 * minute ? `${Math.round(ms / second)} s` : `${Math.round(ms / minute)} min`;
}
