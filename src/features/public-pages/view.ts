import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import { parseJson } from '@tallyhook/platform/json';
import { plainName } from '@tallyhook/platform/truncate';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import { accountIdOf, type CommunityId } from '../../core/ledger/account.ts';
import type { LeaderboardScore, RankedMember, Standings } from '../../core/ledger/standing.ts';
import type { Records } from '../../core/records/records.ts';
import { findUsername } from '../../core/records/username.ts';
import { periodOf } from '../../core/rewards/calendar.ts';
import type { Period } from '../../core/rewards/rules.ts';
import type { DayVotes, VotesPerDay } from '../../core/store/standings/votes-per-day.ts';
import { calendarOf } from '../../core/tally/community.ts';
import type { GuildReader } from '../../discord/guild-reader.ts';
import type { Community, LookupClients } from '../communities/feature.ts';
import { hiddenRolesOf } from '../guards/feature.ts';
import { daysOfPeriod } from '../party/feature.ts';
import { type PrizeBoard, prizesOf } from '../prizes/feature.ts';
import { type RaffleRules, raffleOf } from '../raffles/feature.ts';
import type { PublicPageStore } from './store.ts';

/** How long a page is shown as it was read (ms), however often it is visited. */
const reuseMs = 15 * second;
/** How long the name of a member is used (ms). */
const nameReuseMs = 10 * minute;
/** How long a page waits for what Discord or the service has to say (ms). */
const timeoutMs = 2 * second;
const maxViews = 1_000;
const maxNames = 20_000;
/** Members on a board. */
const shownMembers = 20;
/** Characters of names. */
const maxNameLength = 40;

/** A member without the id. External text on one line; null without a name. */
export interface PublicMember extends Pick<RankedMember, 'rank' | 'score'> {
  readonly name: string | null;
}

/** Prizes are those of the board, without ids. */
export interface PublicBoard {
  readonly per: Period;
  readonly by: LeaderboardScore;
  /** The current period (day numbers, both inclusive). */
  readonly days: readonly [first: number, last: number];
  /** The members who want to be shown: the places below the others keep their numbers. */
  readonly members: readonly PublicMember[];
  /** How many members have a score. */
  readonly total: number;
  readonly prizes: readonly PublicPrize[];
  /** Counted votes of the period that a prize needs; 1 if any vote is enough. */
  readonly minVotes: number;
}

export interface PublicPrize {
  readonly from: number;
  readonly to: number;
  readonly credits: number;
  /** The role that is won, with its name, or null; external text, null if Discord has not said it. */
  readonly role: { readonly name: string | null } | null;
}

export interface VoteLink {
  /** The name of the listing in the settings, which is in no page. */
  readonly listing: string;
  /** External text on one line; empty if it is not known. */
  readonly name: string;
  /** The name of its site; null for the document's service. */
  readonly site: string | null;
  /** Where members vote, http or https; null if it is not known. */
  readonly url: string | null;
}

/** The public part of a community: its votes, boards, party, raffle and links. Names are external text on one line. */
export interface PublicView {
  readonly name: string;
  /** The counted votes of this month, and the members with one. */
  readonly month: { readonly votes: number; readonly members: number };
  /** The boards with prizes, or else that of the votes of this month; the first one is in the widget. */
  readonly boards: readonly [PublicBoard, ...PublicBoard[]];
  readonly party: {
    readonly days: readonly [first: number, last: number];
    readonly votes: number;
    readonly goal: number;
    readonly credits: number;
  } | null;
  readonly raffle: (RaffleRules & { readonly days: readonly [first: number, last: number] }) | null;
  readonly links: readonly VoteLink[];
  /** The last 30 days, oldest first. */
  readonly votesPerDay: readonly DayVotes[];
}

export interface ViewContext {
  readonly store: {
    standingsIn(communityId: CommunityId, timeZone: string, hiddenRoles: readonly string[]): Standings;
    votesPerDayIn(timeZone: string): VotesPerDay;
    readonly records: Pick<Records, 'recentBody'>;
    readonly publicPages: Pick<PublicPageStore, 'absent'>;
  };
  readonly lookups: Pick<LookupClients, 'of' | 'displayName'>;
  /** The current party of a community; null without one. */
  readonly currentParty: (community: Pick<Community, 'listings'>) => Promise<{
    readonly period: string;
    readonly votes: number;
    readonly goal: number;
    readonly credits: number;
  } | null>;
  /** Reads guilds and members from Discord; null in a process without a bot token. */
  readonly reader: Pick<GuildReader, 'guild' | 'member'> | null;
  readonly clock: Clock;
}

export type ReadView = (community: Community) => Promise<PublicView>;

/** Reads what pages show, once for all who visit them at about the same time. Rejects with the errors of the store. */
export function createViews(context: ViewContext): ReadView {
  const { clock } = context;
  const nameOf = createMemberNames(context);
  const known = new BoundedMap<{
    readonly community: Community;
    readonly at: number;
    readonly view: Promise<PublicView>;
  }>(maxViews);
  return (community) => {
    const key = String(community.id);
    const latest = known.get(key);
    // Other settings are another object.
    if (latest?.community === community && clock.monotonic() - latest.at < reuseMs) return latest.view;
    const view = readView(community, context, nameOf);
    view.catch(() => known.delete(key));
    known.set(key, { community, at: clock.monotonic(), view });
    return view;
  };
}

async function readView(community: Community, context: ViewContext, nameOf: NameOf): Promise<PublicView> {
  const { store, reader, clock } = context;
  const { id, guildId, timeZone, listings } = community;
  const now = clock.now();
  const standings = store.standingsIn(id, timeZone, hiddenRolesOf(listings));
  const guild = guildId === null ? null : await settleWithin(timeoutMs, clock, reader?.guild(guildId) ?? noAnswer());
  const prizes = prizesOf(listings);
  const raffle = raffleOf(listings);
  const daysOf = (per: Period): readonly [first: number, last: number] => {
    const { firstDay, endDay } = periodOf(per, calendarOf({ timeZone }).dayAt(now));
    return [firstDay, endDay - 1];
  };
  const boardOf = async ({ per, by }: PrizeBoard): Promise<PublicBoard> => {
    const query = { period: per, by, limit: shownMembers, offset: 0, userId: null } as const;
    const { members: ranked, total } = await standings.leaderboard(query, now);
    const absent = await store.publicPages.absent(
      id,
      ranked.map(({ userId }) => userId),
    );
    const members = ranked.filter(({ userId }) => !absent.includes(userId));
    const names = await Promise.all(members.map(({ userId }) => nameOf(community, userId)));
    const rules = prizes.find((each) => each.per === per && each.by === by);
    return {
      ...{ per, by, total, days: daysOf(per) },
      members: members.map(({ rank, score }, index) => ({ rank, score, name: names[index] ?? null })),
      minVotes: rules?.minVotes ?? 1,
      prizes: (rules?.places ?? []).map(({ from, to, credits, role: roleId }) => {
        const name = guild?.roles.find((role) => role.id === roleId)?.name ?? null;
        return { from, to, credits, role: roleId === null ? null : { name: name && plainName(name, maxNameLength) } };
      }),
    };
  };
  const [first = monthOfVotes, ...others] = prizes;
  const [board, otherBoards, month, party, links, votesPerDay] = await Promise.all([
    boardOf(first),
    Promise.all(others.map(boardOf)),
    standings.leaderboard({ period: 'month', by: 'votes', limit: 1, offset: 0, userId: null }, now),
    context.currentParty(community),
    readLinks(community, context),
    store.votesPerDayIn(timeZone)(
      listings.map(({ name }) => name),
      now,
    ),
  ]);
  return {
    name: plainName(guild?.name ?? links.find(({ name }) => name !== '')?.name ?? '', maxNameLength),
    month: { votes: month.sum, members: month.total },
    boards: [board, ...otherBoards],
    party: party && { days: daysOfPeriod(party.period), votes: party.votes, goal: party.goal, credits: party.credits },
    raffle: raffle && { ...raffle, days: daysOf(raffle.per) },
    links,
    votesPerDay,
  };
}

const monthOfVotes: PrizeBoard = { per: 'month', by: 'votes' };
const noAnswer = async () => null;

/** In the order of the settings; without a page if the service does not say it in time. */
async function readLinks({ named }: Community, { lookups, clock }: ViewContext): Promise<readonly VoteLink[]> {
  return Promise.all(
    lookups.of(named).map(async ({ name: listing, lookup, site }) => {
      const profile = await settleWithin(timeoutMs, clock, lookup.profile());
      const shown = profile?.value.name || lookups.displayName(listing);
      // The name in the settings says nothing to members.
      const name = shown === listing ? '' : plainName(shown, maxNameLength);
      return { listing, name, site: site?.name ?? null, url: profile?.value.url ?? null };
    }),
  );
}

type NameOf = (community: Pick<Community, 'id' | 'guildId'>, userId: string) => Promise<string | null>;

/** Names of members by their newest votes, or else by Discord. Never rejects because of Discord. */
function createMemberNames({ store, reader, clock }: ViewContext): NameOf {
  const known = new BoundedMap<{ readonly at: number; readonly name: Promise<string | null> }>(maxNames);

  async function find({ id, guildId }: Parameters<NameOf>[0], userId: string): Promise<string | null> {
    const body = await store.records.recentBody(accountIdOf(id, userId));
    const ofVote = body === null ? null : findUsername(parseJson(body), userId);
    if (ofVote !== null || guildId === null || reader === null) return ofVote;
    return (await settleWithin(timeoutMs, clock, reader.member(guildId, userId)))?.name ?? null;
  }

  return (community, userId) => {
    const key = `${community.id} ${userId}`;
    const latest = known.get(key);
    if (latest !== undefined && clock.monotonic() - latest.at < nameReuseMs) return latest.name;
    const name = find(community, userId).then((found) => (found && plainName(found, maxNameLength)) || null);
    name.catch(() => known.delete(key));
    known.set(key, { at: clock.monotonic(), name });
    return name;
  };
}
