import { minute } from '../../platform/durations.ts';
import type { Probe } from './probe.ts';

/** Not let through by the key or the limit, or by no endpoint of the API. */
const notLetThrough: readonly number[] = [401, 404, 405, 429];

/** How many requests with this key an endpoint of the API answered since then, and how long (ms) the key was in use. */
export function letThrough({ exchanges }: Probe, key: string, since: number): { count: number; lasted: number } {
  const ofKey = exchanges.filter((exchange) => exchange.key === key && exchange.sentAt > since);
  const counted = ofKey.filter(({ answer }) => !notLetThrough.includes(answer.status));
  const lasted = (ofKey.at(-1)?.sentAt ?? 0) - (counted[0]?.sentAt ?? 0);
  return { count: counted.length, lasted: Math.max(0, lasted) };
}

/**
 * How many requests of any kind were sent with this key in the minute before the first 429, for which of them a service counts is not
 * shown; null when there was no 429.
 */
export function sentBeforeRefusal({ exchanges }: Probe, key: string): number | null {
  const ofKey = exchanges.filter((exchange) => exchange.key === key);
  const place = ofKey.findIndex(({ answer }) => answer.status === 429);
  const refused = ofKey[place];
  if (refused === undefined) return null;
  return ofKey.slice(0, place).filter(({ sentAt }) => sentAt > refused.sentAt - minute).length;
}
