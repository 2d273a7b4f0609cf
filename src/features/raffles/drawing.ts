import { randomBytes } from 'node:crypto';
import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import { type CommunityId, isPseudonym } from '../../core/ledger/account.ts';
import { type Handle, tryAgain } from '../../core/outbox/perform.ts';
import { queueName } from '../../core/outbox/queue.ts';
import { formatPeriod, periodOf, settlementDelayMs, timesOf } from '../../core/rewards/calendar.ts';
import type { Period } from '../../core/rewards/rules.ts';
import { calendarOf } from '../../core/tally/community.ts';
import type { Community } from '../communities/feature.ts';
import { hiddenRolesOf } from '../guards/feature.ts';
import type { AnnouncementTask, PartsContext } from '../parts.ts';
import { commitmentOf } from './draw.ts';
import type { RaffleKey } from './effects.ts';
import { drawRaffle, type RaffleTerms, raffleIdOf } from './published.ts';
import { pseudonymIn, type RaffleRules, raffleAnnounced, raffleOf, ticketsFor } from './rules.ts';
import type { Raffle, RaffleStore } from './store.ts';

export interface DrawingContext extends Pick<PartsContext, 'directory' | 'clock' | 'nudge'> {
  readonly store: {
    readonly raffles: RaffleStore;
    readonly prizes: { candidates(query: VotersQuery): Promise<readonly Voter[]> };
  };
}

/** Asks for the counted votes of all members in a period. */
interface VotersQuery {
  readonly communityId: CommunityId;
  readonly per: Period;
  readonly by: 'votes';
  readonly firstDay: number;
  readonly timeZone: string;
  readonly forgive: number;
  readonly hiddenRoles: readonly string[];
}

interface Voter {
  readonly userId: string;
  readonly votes: number;
}

/** Begins the raffle of the period that is now: one of a period that is over could not be checked. */
export function createOpeningTask(
  { id: communityId, timeZone, listings }: Community,
  { store, clock }: Pick<DrawingContext, 'clock'> & { readonly store: Pick<DrawingContext['store'], 'raffles'> },
): AnnouncementTask['run'] {
  const calendar = calendarOf({ timeZone });
  let checkedUntil = Number.NEGATIVE_INFINITY;
  return async () => {
    const rules = raffleOf(listings);
    const now = clock.now();
    if (rules === null || now < checkedUntil) return null;
    const day = calendar.dayAt(now);
    const raffle = await store.raffles.ofPeriod(communityId, formatPeriod(rules.per, day));
    const channelId = channelOf(listings);
    const isOpened =
      raffle === null && (await store.raffles.open(newRaffle(communityId, rules, timeZone, now), channelId, now));
    // Every period ends with a day.
    checkedUntil = calendar.startOf(day + 1);
    return isOpened && channelId !== null ? queueName('channel', communityId, channelId) : null;
  };
}

function newRaffle(communityId: CommunityId, { per, ...rules }: RaffleRules, timeZone: string, now: number): Raffle {
  const calendar = calendarOf({ timeZone });
  const days = periodOf(per, calendar.dayAt(now));
  const { startsAt, endsAt } = timesOf(days, calendar);
  const seed = randomBytes(32).toString('hex');
  const raffle = {
    ...{ communityId, period: formatPeriod(per, days.firstDay), firstDay: days.firstDay, timeZone },
    ...{ startsAt, endsAt, openedAt: now, rules },
    ...{ seed, commitment: commitmentOf(seed), memberKey: randomBytes(32).toString('hex') },
    ...({ state: 'open', ticketsHash: null } as const),
  };
  return { ...raffle, raffleId: raffleIdOf(termsOf(raffle)) };
}

/** The part of a raffle that is published before the draw. */
function termsOf(raffle: Omit<Raffle, 'raffleId'>): RaffleTerms {
  const { period, rules, commitment } = raffle;
  const { winners: places, ...others } = rules;
  const [startsAt = '', endsAt = '', openedAt = ''] = [raffle.startsAt, raffle.endsAt, raffle.openedAt].map((at) =>
    new Date(at).toISOString(),
  );
  return { period, startsAt, endsAt, openedAt, places, ...others, commitment };
}

/** Where raffles are announced; null for nowhere. */
function channelOf(listings: Community['listings']): string | null {
  if (!listings.every(({ announced }) => raffleAnnounced.in(announced))) return null;
  return listings.find(({ announceChannelId }) => announceChannelId !== null)?.announceChannelId ?? null;
}

/**
 * Draws a raffle an hour after its end, by the terms with which it has begun. Drawn once ever: another process, or another
 * attempt, finds it drawn. Rejects if the database cannot be written.
 */
export function createDrawHandler({ store, directory, clock, nudge }: DrawingContext): Handle<RaffleKey> {
  async function draw(raffle: Raffle, memberKey: string, { id, listings }: Community): Promise<AttemptResult> {
    const { communityId, raffleId, firstDay, timeZone, seed } = raffle;
    const scores = { per: perOf(raffle), by: 'votes', firstDay, timeZone, forgive: 0 } as const;
    const query = { ...scores, communityId, hiddenRoles: hiddenRolesOf(listings) };
    const voters = await store.prizes.candidates(query);
    const named = voters
      .filter(({ userId, votes }) => votes > 0 && !isPseudonym(userId))
      .map(({ userId, votes }) => ({ userId, votes, member: pseudonymIn(memberKey, userId) }));
    const memberOf = new Map(named.map(({ userId, member }) => [member, userId]));
    const tickets = named.map(({ member, votes }) => ({ member, tickets: ticketsFor(votes, raffle.rules) }));
    const { winners: members, ticketsHash, file } = drawRaffle(termsOf(raffle), { seed, tickets });
    const winners = members.flatMap((member) => memberOf.get(member) ?? []);
    const channelId = winners.length === 0 ? null : channelOf(listings);
    const drawn = { communityId, raffleId, winners, ticketsHash, file };
    if ((await store.raffles.draw(drawn, channelId, clock.now())) === 'changed') {
      return tryAgain('a winner was forgotten meanwhile', 0);
    }
    if (channelId !== null) nudge([queueName('channel', id, channelId)]);
    return { outcome: 'done' };
  }

  return async ({ content: key }) => {
    const community = directory.communities.find(({ id }) => id === key.communityId);
    // It may have been removed for a moment only: what was won is not lost.
    if (community === undefined) return tryAgain('The community has no listing now.');
    const raffle = await store.raffles.find(key);
    if (raffle === null || raffle.state !== 'open' || raffle.memberKey === null) return { outcome: 'done' };
    // Nobody may see the seed before: the clock was set back.
    const waitMs = raffle.endsAt + settlementDelayMs - clock.now();
    if (waitMs > 0) return tryAgain('The raffle is not over.', waitMs);
    if (raffleOf(community.listings) !== null) return draw(raffle, raffle.memberKey, community);
    await store.raffles.cancel(key);
    return { outcome: 'done' };
  };
}

/** The period that the raffle is for. */
export function perOf({ period }: Pick<Raffle, 'period'>): Period {
  return period.startsWith('week') ? 'week' : 'month';
}

/** The days of a raffle: the first and the last one (day numbers). */
export function daysOf(raffle: Pick<Raffle, 'period' | 'firstDay'>): readonly [first: number, last: number] {
  return [raffle.firstDay, periodOf(perOf(raffle), raffle.firstDay).endDay - 1];
}
