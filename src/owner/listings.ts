import { HttpError } from '@tallyhook/platform/web/http-error';
import type { ReversalTotals, VoteRange } from '../features/corrections/store.ts';
import type { Decision, HeldListing } from '../features/rate-alarms/store.ts';
import { type Trust, trustOf } from '../webhook/sites/site.ts';
import type { OwnerContext } from './context.ts';

export interface ListingDetails {
  readonly name: string;
  readonly site: string;
  readonly trust: Trust;
  /** IANA name. */
  readonly timeZone: string;
  /** Null unless many more votes than usual have arrived. */
  readonly held: HeldListing | null;
}

export async function listListings({ sites, timeZones, alarms }: OwnerContext): Promise<readonly ListingDetails[]> {
  const [held, zones] = [await alarms.held(), timeZones()];
  return [...sites()].map(([name, site]) => ({
    ...{ name, site: site.name, trust: trustOf(site), timeZone: zones.get(name) ?? 'UTC' },
    held: held.find(({ listing }) => listing === name) ?? null,
  }));
}

/** @throws HttpError 404 */
export function findTimeZone({ timeZones }: OwnerContext, listing: string): string {
  const timeZone = timeZones().get(listing);
  if (timeZone === undefined) throw new HttpError(404, `There is no listing "${listing.slice(0, 100)}".`);
  return timeZone;
}

export const decisions = ['release', 'reject'] as const satisfies readonly Decision[];

/** Has the held votes of a listing paid or rejected. @throws HttpError 404, and 409 if nothing is held */
export async function decideAlarm(context: OwnerContext, listing: string, decision: Decision) {
  findTimeZone(context, listing);
  if (!(await context.alarms.decide(listing, decision)))
    throw new HttpError(409, 'No votes of this listing are held, or it is decided already.');
  context.log.info({ listing, decision }, 'owner decided about held votes');
  return { listing, decision };
}

/** Reverses votes of a listing. @param isDryRun only says what it would take @throws HttpError 400 and 404 */
export async function reverseVotes(
  context: OwnerContext,
  range: VoteRange,
  isDryRun: boolean,
): Promise<ReversalTotals & { readonly spent?: number }> {
  findTimeZone(context, range.listing);
  if (range.from >= range.until) throw new HttpError(400, 'Invalid request: "until" must be later than "from".');
  return isDryRun ? context.reversals.preview(range) : context.reversals.reverse(range);
}
