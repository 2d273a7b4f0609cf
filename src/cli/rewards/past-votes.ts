import { countedVoteCauses } from '../../core/ledger/entry.ts';
import type { PastVote } from '../../core/rewards/replay-votes.ts';
import type { MemberEntry } from '../../core/store/snapshots/member-ledgers.ts';
import { readPayload } from '../../webhook/payload.ts';

/** The counted votes among the entries of a member. */
export function pastVotesOf(entries: readonly MemberEntry[]): PastVote[] {
  return entries.flatMap((entry) => {
    const { listing, at } = entry;
    const cause = countedVoteCauses.find((counted) => counted === entry.cause);
    return cause === undefined ? [] : [{ listing, at, cause, awarded: awardedIn(entry) }];
  });
}

/**
 * The number of credits that a delivery contained; null if there was none. If its body was pruned, what was paid for it
 * counts as that.
 */
export function awardedIn({ body, family, credits }: Pick<MemberEntry, 'body' | 'family' | 'credits'>): number | null {
  if (body === null) return null;
  if (body === '') return credits;
  const context = {
    premiumPath: family === 'premium',
    now: Number.MAX_SAFE_INTEGER,
    defaultVote: 'server_vote',
  } as const;
  const payload = readPayload(parseJson(body), context);
  if (payload.type !== 'event') return null;
  const { creditsAwarded } = payload.event;
  return typeof creditsAwarded === 'number' ? creditsAwarded : null;
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
