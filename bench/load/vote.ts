import { sign } from '../../src/webhook/signature.ts';

/** The secret shared by the contenders and the load generator. */
export const secret = 'bench-secret-bench-secret-bench';

/** The number of members that vote in turn; an odd stride makes the order look random to an index. */
const voters = 100_003;
const stride = 7_919;
/** Longer than the cooldown (ms), so that every vote of a member counts. */
const untilNext = 13 * 3_600_000;
const first = Date.UTC(2025, 0, 1);

/** The user id of the member who casts the vote with this number. */
export function voterOf(number: number): string {
  return String(200_000_000_000_000_000n + BigInt((number * stride) % voters) * 1_000_003n);
}

export interface SignedBody {
  readonly body: string;
  readonly signature: string;
}

/** The signed vote with this number: about 190 bytes, unique. */
export function vote(number: number): SignedBody {
  const round = Math.floor(number / voters);
  const at = first + round * untilNext + (number % voters) * 100;
  const body = JSON.stringify({
    event: 'server_vote',
    userId: voterOf(number),
    serverId: '613425648685547541',
    timestamp: new Date(at).toISOString(),
    creditsAwarded: true,
    voter: { username: 'a_member_who_votes' },
  });
  return { body, signature: sign(body, secret) };
}
