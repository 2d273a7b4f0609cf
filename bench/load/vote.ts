import { createHmac } from 'node:crypto';
import { day } from '@tallyhook/platform/durations';
import { topgg } from '../../src/webhook/sites/topgg.ts';

/** The secret shared by the contenders and the load generator. */
export const secret = 'bench-secret-bench-secret-bench';

/**
 * In which order members vote: by ascending id, or like random ids, of which there are more if they are scattered. It
 * decides how many database pages a commit changes.
 */
export type VoterOrder = 'sequential' | 'shuffled' | 'scattered';

/** Which votes are sent. */
export interface VoteSeries {
  readonly voters: VoterOrder;
  /** The members vote for this many listings, each with its own secret. */
  readonly listings: number;
  /** Votes for one bot on top.gg, version 1, instead of the document's service. */
  readonly site?: 'topgg' | null;
}

/** The number of members who vote in turn. The numbers are prime, so a stride visits every member. */
export const voterCounts: Readonly<Record<VoterOrder, number>> = {
  sequential: 100_003,
  shuffled: 100_003,
  scattered: 1_000_003,
};
const strides: Readonly<Record<VoterOrder, number>> = { sequential: 1, shuffled: 61_813, scattered: 618_041 };

/** Between votes (ms). A member's next vote is later than the cooldown, so that every vote counts. */
const interval = 500;
/** Recent, as in production, and early enough that a run does not reach the present. */
const first = Date.now() - 30 * day;

/** Members in order, who vote for one listing. */
export const oneListing: VoteSeries = { voters: 'sequential', listings: 1 };

/** The id of member `i`, which is ascending, as an SQL expression; the same as {@link vote}'s. */
export const memberIdSql = 'CAST(200000000000000000 + i * 1000003 AS TEXT)';
const memberId = (member: number) => String(200_000_000_000_000_000n + BigInt(member) * 1_000_003n);

/** The user id of the member who casts the vote with this number. */
export function voterOf(number: number, { voters }: VoteSeries): string {
  return memberId((number * strides[voters]) % voterCounts[voters]);
}

export interface SignedBody {
  readonly body: string;
  readonly signature: string;
}

/** The signed vote with this number: about 190 bytes, unique. */
export function vote(number: number, { voters, listings, site = null }: VoteSeries): SignedBody {
  const member = (number * strides[voters]) % voterCounts[voters];
  if (site === 'topgg') return voteAtTopgg(number, memberId(member));
  const listing = member % listings;
  const body = JSON.stringify({
    event: 'server_vote',
    userId: memberId(member),
    serverId: listingId(listing),
    timestamp: new Date(first + number * interval).toISOString(),
    creditsAwarded: true,
    voter: { username: 'a_member_who_votes' },
  });
  // Of Node, because it is computed for every vote of a load.
  return { body, signature: createHmac('sha256', listingSecret(listing)).update(body).digest('hex') };
}

/** The start of the times in top.gg's IDs (ms since the epoch). */
const topggEpoch = Date.UTC(2020, 0);

/** As the site sends it: about 500 bytes. The time of the signature is the present, that of the vote is as of the others. */
function voteAtTopgg(number: number, userId: string): SignedBody {
  const at = first + number * interval;
  const body = JSON.stringify(
    topgg.write({
      kind: 'bot',
      targetId: listingId(0),
      userId,
      at,
      id: String(BigInt(at - topggEpoch) << 22n),
      isTest: false,
    }),
  );
  const seconds = Math.floor(Date.now() / 1_000);
  const digest = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return { body, signature: `t=${seconds},v1=${digest}` };
}

/** The Discord id of a listing, counted from 0. */
export function listingId(listing: number): string {
  return String(613_425_648_685_547_541n + BigInt(listing));
}

export function listingSecret(listing: number): string {
  return listing === 0 ? secret : `${secret}-${listing}`;
}
