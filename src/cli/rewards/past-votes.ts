import { countedVoteCauses } from '../../ledger/entry.ts';
import type { PastVote } from '../../rewards/replay-votes.ts';
import type { MemberEntry } from '../../store/snapshots/member-ledgers.ts';
import { readPayload } from '../../webhook/payload.ts';

/** The counted votes among the entries of a member. */
export function pastVotesOf(entries: readonly MemberEntry[]): PastVote[] {
  return entries.flatMap((entry) => {
    const { listing, at } = entry;
    const cause = countedVoteCauses.find((counted) => counted === entry.cause);
    return cause === undefined ? [] : [{ listing, at, cause, awarded: awardedIn(entry) }];
  });
}

/** The number of credits that a delivery contained; null if there was none, or the delivery is not stored any more. */
export function awardedIn({ body, family }: Pick<MemberEntry, 'body' | 'family'>): number | null {
  if (body === null) return null;
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
