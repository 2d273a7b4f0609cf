import type { ListingConfig } from '../../../config/schema.ts';
import { day, hour, minute } from '../../platform/durations.ts';
import { type Finding, pass, warn } from './finding.ts';

/** After so long a silence (ms) it is worth a look whether deliveries still come. */
const longSilence = 7 * day;

/** `last`: when the last delivery for each listing came, by its name; `now` and those in ms since the epoch. */
export function evaluateDeliveries(
  listings: readonly ListingConfig[],
  last: ReadonlyMap<string, number>,
  now: number,
): Finding[] {
  const cure = 'Press "Test Webhook" in the dashboard, and see the address there.';
  // The variables always describe a server and a bot; one that has no key and no deliveries is not meant.
  const meant = listings.filter(({ name, lookupKey }) => lookupKey !== null || last.has(name));
  return meant.map(({ name }) => {
    const at = last.get(name);
    if (at === undefined) return warn(`No delivery for ${name} has ever come.`, cure);
    const told = `The last delivery for ${name} came ${agoInWords(now - at)} ago (${new Date(at).toISOString()})`;
    return now - at > longSilence ? warn(`${told}: none in 7 days.`, cure) : pass(`${told}.`);
  });
}

/** A length of time (ms) in its largest unit. */
export function agoInWords(ms: number): string {
  const units = [
    [day, 'day'],
    [hour, 'hour'],
    [minute, 'minute'],
  ] as const;
  const [unit, word] = units.find(([size]) => ms >= size) ?? [minute, 'minute'];
  const count = Math.max(0, Math.floor(ms / unit));
  if (count === 0) return 'less than a minute';
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
