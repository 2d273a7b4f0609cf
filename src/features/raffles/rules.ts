import { createHmac } from 'node:crypto';
import { addedValue } from '../../core/added-value.ts';
import { isPseudonym } from '../../core/ledger/account.ts';
import type { PeriodEnd } from '../../core/rewards/replay-votes.ts';
import type { RewardEntry } from '../../core/rewards/reward.ts';
import type { Period } from '../../core/rewards/rules.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import { hiddenRolesOf } from '../guards/feature.ts';

/** The raffle of a community. */
export interface RaffleRules {
  /** The calendar period whose votes are tickets. */
  readonly per: Period;
  /** How many members win, at most {@link maxWinners}. */
  readonly winners: number;
  /** For each of them. */
  readonly credits: number;
  readonly ticketsPerVote: number;
  /** Most tickets of one member. */
  readonly maxTickets: number;
}

/** So many are paid in one transaction, and named in one message. */
export const maxWinners = 25;

/** The raffle of a community, null for none: of the rules of its listings, which share it. */
export const raffleRules = addedValue<RaffleRules | null>('raffle', null);
/** True if announcements say that a raffle begins, and who has won. */
export const raffleAnnounced = addedValue('raffle', false);

/** The raffle that the listings of a community share; null for none. */
export function raffleOf(listings: readonly Pick<ListingContext, 'rewards'>[]): RaffleRules | null {
  return raffleRules.in(listings[0]?.rewards ?? {});
}

/** The tickets of a member. @param votes counted votes of the period */
export function ticketsFor(
  votes: number,
  { ticketsPerVote, maxTickets }: Pick<RaffleRules, 'ticketsPerVote' | 'maxTickets'>,
): number {
  return Math.min(votes * ticketsPerVote, maxTickets);
}

/**
 * The name of a member in the list of a raffle. Without the key, it says nothing about the member.
 * @param key of the raffle (hex)
 */
export function pseudonymIn(key: string, userId: string): string {
  return createHmac('sha256', Buffer.from(key, 'hex')).update(userId).digest('hex').slice(0, 20);
}

/** The entry of a winner. @param period such as `week 2026-W02` */
export function raffleEntry(credits: number, period: string): RewardEntry {
  return { cause: 'raffle', credits, reason: period, achievement: `raffle ${period}` };
}

/** Credits that the rules pay at the end of past periods: the winners do not matter. */
export const periodEnd: PeriodEnd = {
  periods: (rewards) => [raffleRules.in(rewards)?.per ?? []].flat(),
  pay(rewards, _per, members) {
    const { winners, credits } = raffleRules.in(rewards) ?? { winners: 0, credits: 0 };
    const hidden = hiddenRolesOf([{ rewards }]);
    const voters = members.filter(
      ({ userId, roles }) => !isPseudonym(userId) && !hidden.some((role) => roles.has(role)),
    );
    return Math.min(winners, voters.length) * credits;
  },
};
