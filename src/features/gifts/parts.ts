import { type CommunityId, noCommunity } from '../../core/ledger/account.ts';
import { calendarOf } from '../../core/tally/community.ts';
import type { FeatureServices, ServicesContext } from '../parts.ts';
import { type Gift, type GiftAllowance, giftLimitRule } from './gift.ts';
import type { GiftStore } from './store.ts';

interface WithGifts extends Pick<ServicesContext, 'clock' | 'log'> {
  readonly store: { readonly gifts: GiftStore };
}

interface GiftingCommunity {
  readonly id: CommunityId;
  readonly timeZone: string;
  readonly listings: readonly { readonly rewards: object }[];
}

export type Gifts = ReturnType<typeof createGifts>;

/** Gifts of members in a community. All reject with the errors of the store. */
export function createGifts({ store, clock, log }: WithGifts, community: GiftingCommunity | undefined) {
  const { id: communityId = noCommunity, timeZone = 'UTC', listings: [first] = [] } = community ?? {};
  const limit = first === undefined ? null : giftLimitRule.in(first.rewards);

  function allowance(limitOfDay: number, now: number): GiftAllowance {
    const calendar = calendarOf({ timeZone });
    return { limit: limitOfDay, since: calendar.startOf(calendar.dayAt(now)) };
  }

  return {
    /** Null if members of this community give each other nothing. */
    limit,
    /** The balance of a member, and how much the member may still give today (credits). */
    allowanceOf: (giverId: string) =>
      store.gifts.allowance({ communityId, giverId }, allowance(limit ?? 0, clock.now())),
    /** Makes the gift, once per confirmation. */
    async give(gift: Omit<Gift, 'communityId'>) {
      const now = clock.now();
      const result = await store.gifts.give({ ...gift, communityId }, allowance(limit ?? 0, now), now);
      const { giverId, receiverId, credits } = gift;
      if (result.outcome === 'given' && !result.repeated)
        log.info({ user: giverId, receiver: receiverId, credits }, 'a member gave credits to another one');
      return result;
    },
  };
}

export function createServices(context: WithGifts) {
  return {
    commandsIn: ({ communities: [community] }) => ({ gifts: createGifts(context, community) }),
  } satisfies FeatureServices;
}
