import { second } from '@tallyhook/platform/durations';
import { escapeInline, escapeName, joined, lines, memberName, subtext } from '@tallyhook/platform/texts/markup';
import { html } from '@tallyhook/platform/web/html';
import { ada, announceDays, grace, type Preview } from '../../core/announcements/announcement.ts';
import { type Handle, handle, tryAgain } from '../../core/outbox/perform.ts';
import { queueName } from '../../core/outbox/queue.ts';
import { periodOf, timesOf } from '../../core/rewards/calendar.ts';
import { calendarOf } from '../../core/tally/community.ts';
import type { Reply } from '../../discord/commands/reply.ts';
import { medalOf, scoreText } from '../../texts/boards.ts';
import type { Texts } from '../../texts/texts.ts';
import type { Community } from '../communities/feature.ts';
import { hiddenRolesOf } from '../guards/feature.ts';
import type {
  AnnouncementTask,
  ConsoleCard,
  FeatureParts,
  FeatureServices,
  PartsContext,
  ServicesContext,
} from '../parts.ts';
import { type PrizesWon, prizesWonKind, settlementKind } from './effects.ts';
import {
  type PrizeRules,
  prizeRules,
  prizesAnnounced,
  prizesOf,
  type Settlement,
  type Winner,
  winnersOf,
} from './rules.ts';
import { showBoard, showReward } from './settings.ts';
import type { PrizeStore } from './store.ts';

/** How long one attempt may take, well below the lease of the effect (ms). */
const attemptMs = 5 * second;
/** Winners that the announcement names. */
const maxAnnounced = 10;

interface PrizeContext extends Pick<PartsContext, 'directory' | 'clock' | 'nudge'> {
  readonly store: {
    readonly prizes: PrizeStore;
    readonly upkeep: { beat(now: number): Promise<void> };
  };
}

/**
 * Settles a board and period: decides who has won, pays them in transactions of some members each, takes the roles of the
 * settlement before from those who have not won them again, and plans the next settlement. What is done is stored, so an
 * attempt continues where the last one ended. Periods that were missed follow each other, the oldest first: their votes
 * are in the ledger, and those who have won them do not lose by an outage. Rejects if the database cannot be written.
 */
export function createSettlementHandler({ store, directory, clock, nudge }: PrizeContext): Handle<Settlement> {
  const { prizes } = store;

  async function decide(settlement: Settlement, community: Community, rules: PrizeRules | undefined): Promise<void> {
    const now = clock.now();
    const winners = rules === undefined ? [] : winnersOf(await candidatesOf(settlement, community), rules);
    const announced = announcementOf(settlement, community, winners);
    await prizes.decide(settlement, winners, { announced, now });
    if (announced !== null) nudge([queueName('channel', community.id, announced.channelId)]);
  }

  async function candidatesOf(settlement: Settlement, { timeZone, listings }: Community) {
    // An outage forgives missed days of a streak.
    if (settlement.by === 'streak') await store.upkeep.beat(clock.now());
    const forgive = listings[0]?.rewards.streak?.forgive ?? 0;
    return prizes.candidates({ ...settlement, timeZone, forgive, hiddenRoles: hiddenRolesOf(listings) });
  }

  return async ({ content: settlement }) => {
    const { communityId, per, by, firstDay } = settlement;
    const community = directory.communities.find(({ id }) => id === communityId);
    // It may have been removed for a moment only: what was won is not lost.
    if (community === undefined) return tryAgain('The community has no listing now.');
    const { timeZone, guildId } = community;
    const startedAt = clock.monotonic();
    // The time zone was changed.
    if (clock.now() < timesOf(periodOf(per, firstDay), calendarOf({ timeZone })).settlesAt) {
      await prizes.plan([settlement], timeZone, clock.now());
      return { outcome: 'done' };
    }
    const rules = prizesOf(community.listings).find((each) => each.per === per && each.by === by);
    if ((await prizes.state(settlement)) === null) await decide(settlement, community, rules);
    while ((await prizes.pay(settlement, guildId, clock.now())) || (await prizes.release(settlement, clock.now()))) {
      if (clock.monotonic() - startedAt > attemptMs) return tryAgain('more winners to pay', 0);
    }
    await prizes.finish(settlement, rules === undefined ? null : { timeZone }, clock.now());
    if (guildId !== null) nudge([queueName('roles', communityId, guildId)]);
    return { outcome: 'done' };
  };
}

/** Null if there is nothing to announce, or no channel. */
function announcementOf(
  { per, by, firstDay }: Settlement,
  { listings }: Community,
  winners: readonly Winner[],
): PrizesWon | null {
  const isAnnounced = listings.every(({ announced }) => prizesAnnounced.in(announced));
  const { announceChannelId: channelId = null } = listings.find((each) => each.announceChannelId !== null) ?? {};
  if (channelId === null || !isAnnounced || winners.length === 0) return null;
  const shown = winners.slice(0, maxAnnounced);
  return { channelId, per, by, firstDay, winners: shown, more: winners.length - shown.length };
}

/** The settlements of the periods that are now, so that they need no vote to be planned. */
export function createPlanTask(
  community: Community,
  { store, clock }: Pick<PrizeContext, 'store' | 'clock'>,
): AnnouncementTask['run'] {
  const { id: communityId, timeZone, listings } = community;
  const calendar = calendarOf({ timeZone });
  let plannedUntil = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = clock.now();
    if (now < plannedUntil) return null;
    const day = calendar.dayAt(now);
    const settlements = prizesOf(listings).map(({ per, by }) => {
      return { communityId, per, by, firstDay: periodOf(per, day).firstDay };
    });
    await store.prizes.plan(settlements, timeZone, now);
    // Every period ends with a day.
    plannedUntil = calendar.startOf(day + 1);
    return null;
  };
}

export function createServices(context: ServicesContext & Pick<PrizeContext, 'store'>) {
  return { cards: [prizesCard(context)] } satisfies FeatureServices;
}

export function create(context: PartsContext & PrizeContext) {
  return {
    effects: [
      handle(settlementKind, createSettlementHandler(context)),
      handle(
        prizesWonKind,
        announceDays(context, prizesAnnounced, async (won, texts) => {
          const { channelId, per, firstDay, winners } = won;
          const ids = winners.map(({ userId }) => userId);
          const departed = await context.findDeparted({ channelId }, ids);
          const days = [firstDay, periodOf(per, firstDay).endDay - 1] as const;
          return { days, reply: renderWinners(won, texts, departed) };
        }),
      ),
    ],
    tasks: (community) =>
      prizesOf(community.listings).length === 0 ? [] : [{ name: 'prizes', run: createPlanTask(community, context) }],
  } satisfies FeatureParts;
}

function renderWinners(
  { per, by, winners, more }: Pick<PrizesWon, 'per' | 'by' | 'winners' | 'more'>,
  texts: Texts,
  departed: ReadonlyMap<string, string> = new Map(),
): Reply {
  const { text } = texts;
  const shown = winners.map(({ userId, place, score, credits, role }) => {
    const won = {
      ...{ place, user: memberName(userId, departed), score: scoreText(by, score, texts) },
      reward: showReward({ credits, role }, texts),
    };
    return joined([medalOf(place), text('prizes.winner', won)], ' ');
  });
  return {
    tone: 'good',
    title: text('prizes.wonTitle', { board: escapeName(showBoard(per, by, texts)) }),
    text: lines(...shown, more > 0 ? subtext(text('prizes.more', { count: more })) : null),
  };
}

/** The first board, with sample winners. */
export const prizesPreview: Preview = ({ style, rewards, texts }) => {
  const [rules] = prizeRules.in(rewards);
  if (rules === undefined || !prizesAnnounced.in(style)) return [];
  const members = [ada, grace].map((userId, index) => ({ userId, score: 42 - index, votes: rules.minVotes }));
  const content = { ...rules, winners: winnersOf(members, rules), more: 0 };
  return [{ subject: 'prizes', reply: renderWinners(content, texts) }];
};

/** The console's card of the current prizes: the boards with their periods, and the number of the last winners. */
function prizesCard({
  store,
  directory,
  clock,
}: Pick<ServicesContext, 'directory' | 'clock'> & Pick<PrizeContext, 'store'>): ConsoleCard {
  return {
    id: 'prizes',
    title: ({ text }) => text('prizes.title'),
    isScoped: true,
    async render({ scope, texts, markup }) {
      const community =
        scope === null
          ? directory.communities.find(({ listings }) => prizesOf(listings).length > 0)
          : directory.ofGuild(scope.guildId);
      const boards = prizesOf(community?.listings ?? []);
      if (community === undefined || boards.length === 0) return null;
      const { text } = texts;
      const calendar = calendarOf(community);
      const today = calendar.dayAt(clock.now());
      const rows = await Promise.all(
        boards.map(async ({ per, by }) => {
          const { firstDay, endDay } = periodOf(per, today);
          const last = await store.prizes.latest({ communityId: community.id, per, by });
          const board = html`<p>${showBoard(per, by, texts)}: ${texts.days(firstDay, endDay - 1)}</p>`;
          if (last === null) return board;
          const days = escapeInline(texts.days(last.firstDay, periodOf(per, last.firstDay).endDay - 1));
          const members = text('parts.members', { count: last.winners });
          return html`${board}\n<p class="quiet">${markup(text('prizes.latest', { days, members }))}</p>`;
        }),
      );
      return html`${rows}`;
    },
  };
}
