import { createHash } from 'node:crypto';
import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import type { Clock } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import {
  bold,
  channelMention,
  escapeName,
  joined,
  lines,
  type Markup,
  markup,
  memberName,
  subtext,
  timestamp,
} from '@tallyhook/platform/texts/markup';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import { Routes } from 'discord-api-types/v10';
import type { CommunityId } from '../../core/ledger/account.ts';
import type { RankedMember, Standings } from '../../core/ledger/standing.ts';
import { type Handle, handle } from '../../core/outbox/perform.ts';
import { amountPerVote, type VoteAmount } from '../../core/rewards/decide-vote.ts';
import type { Multiplier } from '../../core/rewards/rules.ts';
import { weekdayName, weekdays } from '../../core/settings/reward-settings.ts';
import { calendarOf } from '../../core/tally/community.ts';
import {
  type CommandDefinition,
  isOffered,
  type ListedLookup,
  listingsTarget,
  offersAt,
} from '../../discord/commands/command.ts';
import {
  type ListedPage,
  listingPage,
  nameWithSite,
  unknownPage,
  voteButtons,
  voteLinkTo,
} from '../../discord/commands/listing-page.ts';
import type { ActionTarget, Panel, Reply, ReplyButton } from '../../discord/commands/reply.ts';
import { CircuitOpenError, classifySendError, rejectionOf } from '../../discord/discord-errors.ts';
import { editMessage, type Posted, type PostedMessage, postOnce } from '../../discord/posting.ts';
import { medalOf } from '../../texts/boards.ts';
import type { Texts } from '../../texts/texts.ts';
import type { Community } from '../communities/feature.ts';
import { hiddenRolesOf } from '../guards/feature.ts';
import {
  type FeatureParts,
  type FeatureServices,
  type PartsContext,
  renderReport,
  type ServicesContext,
} from '../parts.ts';
import { seasonLines } from '../season.ts';
import { lacksOf } from '../settings.ts';
import {
  type LostPanel,
  lostPanelReport,
  type PanelOfGuild,
  type StoredPanel,
  type VotePanelStore,
  votePanelKind,
} from './store.ts';

export function renderLostPanel({ panelChannelId }: LostPanel, { text }: Texts): Reply {
  return {
    tone: 'wait',
    title: text('votePanel.goneTitle'),
    text: text('votePanel.gone', { channel: channelMention(panelChannelId) }),
  };
}

/** A panel is compared with what it shows, and edited, at most this often (ms). */
const intervalMs = minute;
const shownMembers = 3;

interface WithPanels {
  readonly store: { readonly votePanel: VotePanelStore };
}

export function createServices({ store: { votePanel }, nudge, clock }: ServicesContext & WithPanels) {
  /** Has the vote panel of a guild posted in a channel. Rejects with the errors of the store. */
  async function postVotePanel(guildId: string, channelId: string): Promise<void> {
    nudge([await votePanel.place({ guildId, channelId }, clock.now())]);
  }
  const hasVotePanel = async (guildId: string) => (await votePanel.find(guildId)) !== null;
  return { shared: { postVotePanel, hasVotePanel } } satisfies FeatureServices;
}

export function create(
  context: PartsContext & {
    readonly store: WithPanels['store'] & {
      standingsIn(communityId: CommunityId, timeZone: string, hiddenRoles: readonly string[]): Standings;
    };
    readonly commands: readonly CommandDefinition[];
  },
) {
  const { store, directory, guildTexts, clock } = context;
  const panels = store.votePanel;
  let stored: ReadonlyMap<string, StoredPanel> = new Map();

  async function draw(guildId: string): Promise<DrawnPanel | null> {
    const community = directory.ofGuild(guildId);
    return community === undefined ? null : drawPanel(community, await guildTexts(guildId), context);
  }

  return {
    effects: [handle(votePanelKind, createVotePanelHandler(context, draw))],
    ownerReports: [renderReport(lostPanelReport, renderLostPanel)],
    async prepareTasks() {
      stored = new Map((await panels.all()).map((panel) => [panel.guildId, panel]));
    },
    tasks({ guildId }) {
      if (guildId === null) return [];
      let comparedAt = Number.NEGATIVE_INFINITY;
      const isDue = ({ updatedAt }: StoredPanel) =>
        clock.monotonic() - comparedAt >= intervalMs && Math.abs(clock.now() - updatedAt) >= intervalMs;
      return [
        {
          name: 'vote panel',
          async run() {
            const panel = stored.get(guildId);
            if (panel === undefined || !isDue(panel)) return null;
            comparedAt = clock.monotonic();
            // Its first message waits, or was given up after a day, and is tried again.
            if (panel.messageId === null) return panels.plan(guildId, clock.now());
            const drawn = await draw(guildId);
            if (drawn === null || !drawn.isComplete || digestOf(drawn) === panel.shown) return null;
            return panels.plan(guildId, clock.now());
          },
        },
      ];
    },
  } satisfies FeatureParts;
}

async function drawPanel(
  { guildId, named, id: communityId, timeZone, listings }: Community,
  texts: Texts,
  { store, lookups, commands, findDeparted, clock }: Parameters<typeof create>[0] & { readonly clock: Clock },
): Promise<DrawnPanel> {
  const now = clock.now();
  const listed = lookups.of(named);
  const board = { period: 'month', by: 'votes', limit: shownMembers, offset: 0, userId: null } as const;
  const [{ pages, isComplete }, { members, moreTied }] = await Promise.all([
    readPages(listed, texts, clock),
    store.standingsIn(communityId, timeZone, hiddenRolesOf(listings)).leaderboard(board, now),
  ]);
  const place = { listings: listed, lacks: lacksOf(listings) };
  const shown = named.filter(({ name }) => pages.some(({ listed: { name: linked } }) => linked === name));
  const ids = members.map(({ userId }) => userId);
  const content = {
    listings: pages,
    top: members,
    departed: guildId === null ? new Map<string, string>() : await findDeparted({ guildId }, ids),
    moreTied,
    season: seasonLines({ listings, timeZone }, texts, now),
    rewards: (shown.length > 0 ? shown : named).map(({ name, rewards }) => ({
      listing: name,
      displayName: lookups.displayName(name),
      ...amountPerVote(rewards, calendarOf({ timeZone }), now),
    })),
    list: listingsTarget(commands),
    buttons: offersAt(
      'panel',
      commands.filter((command) => isOffered(command, place)),
      texts,
    ),
  };
  const monthIn = ({ locale }: Texts) =>
    new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone }).format(now);
  const footer = monthIn(texts);
  const footers = texts.languages.all().map(monthIn);
  return { panel: { ...renderVotePanel(content, texts), footer }, footers, isComplete };
}

/** A page that takes longer is taken as unknown (ms). */
const timeoutMs = 2 * second;
/** A panel has 40 components, of which other buttons and the texts need some. */
const maxLinks = 20;

interface ListingReward extends VoteAmount {
  readonly listing: string;
  readonly displayName: string;
}

export interface PanelContent {
  readonly listings: readonly ListedPage[];
  readonly top: readonly RankedMember[];
  readonly departed: ReadonlyMap<string, string>;
  readonly moreTied: number;
  /** The current prizes and raffle, a line each. */
  readonly season: readonly Markup[];
  readonly rewards: readonly ListingReward[];
  readonly list: ActionTarget | null;
  readonly buttons: readonly ReplyButton[];
}

/** The pages of listings; incomplete if the service does not tell one in time, so that a panel keeps the links it has. */
export async function readPages(
  listings: readonly ListedLookup[],
  texts: Texts,
  clock: Clock,
): Promise<{ readonly pages: readonly ListedPage[]; readonly isComplete: boolean }> {
  const profiles = await Promise.all(
    listings.slice(0, maxLinks).map(async (listed) => {
      const profile = await settleWithin(timeoutMs, clock, listed.lookup.profile());
      return { listed, profile };
    }),
  );
  return {
    pages: profiles.map(({ listed, profile }) => ({
      listed,
      page: profile === undefined ? unknownPage(listed, texts) : listingPage(profile.value, texts),
    })),
    isComplete: profiles.every(({ profile }) => profile !== undefined),
  };
}

/** The message with which members vote. All its buttons work forever: their ids name a command and an action. */
export function renderVotePanel(content: PanelContent, texts: Texts): Panel {
  const { listings, top, departed, moreTied, rewards, buttons } = content;
  const { text } = texts;
  const [first] = listings;
  const links = linksTo(content, texts);
  const ranked = top.map(({ rank, userId, score }) =>
    joined([joined([medalOf(rank), memberName(userId, departed)], ' '), text('parts.votes', { count: score })], ' · '),
  );
  const earned = renderRewards(rewards, listings, texts);
  const tied = moreTied === 0 ? null : text('digest.more', { count: moreTied });
  return {
    kind: 'panel',
    tone: 'good',
    title: text('votePanel.title', { name: first?.page.name ?? markup`` }),
    blocks: [
      ...(earned.length > 0 ? [{ kind: 'text' as const, text: lines(...earned) }] : []),
      {
        kind: 'text',
        text: lines(
          bold(text('leaderboard.titles.votes.month')),
          ...(top.length === 0 ? [text('leaderboard.none')] : ranked),
          tied,
          ...content.season.map(subtext),
        ),
      },
      { kind: 'buttons', buttons: links },
      { kind: 'buttons', buttons },
    ],
  };
}

/** A link to the only listing, and a button that lists several. */
function linksTo({ listings, list }: PanelContent, texts: Texts): readonly ReplyButton[] {
  const [first, ...others] = listings;
  if (first === undefined) return [];
  if (others.length === 0) return voteButtons(first.page, texts);
  if (list === null) return listings.flatMap((listing) => voteLinkTo(listing, listings, texts));
  return [{ kind: 'action', ...list, label: texts.text('canVote.voteButton'), style: 'primary' }];
}

/** One line if all listings pay the same, otherwise one for each that pays. */
function renderRewards(
  rewards: readonly ListingReward[],
  listings: readonly ListedPage[],
  texts: Texts,
): readonly Markup[] {
  const { text } = texts;
  const paid = rewards.map((reward) => {
    const key = reward.isToday ? 'votePanel.rewardToday' : 'votePanel.reward';
    const line = text(key, { credits: text('parts.credits', { count: reward.credits }) });
    const reasons = reward.multipliers.map((each) => renderMultiplier(each, texts));
    return { ...reward, line: reasons.length === 0 ? line : joined([line, subtext(joined(reasons, ' · '))], '\n') };
  });
  const [first, ...others] = paid;
  if (first === undefined) return [];
  if (others.every(({ line }) => line === first.line)) return first.credits > 0 ? [first.line] : [];
  return paid
    .filter(({ credits }) => credits > 0)
    .map(({ listing, displayName, line }) => {
      const shown = listings.find(({ listed }) => listed.name === listing);
      return joined([bold(shown === undefined ? escapeName(displayName) : nameWithSite(shown)), line], ' · ');
    });
}

/** Why votes earn more now: "×2 on Saturday, Sunday", or until when. */
function renderMultiplier({ factor, days, until }: Multiplier, { text, list, locale, number }: Texts): Markup {
  const times = number(factor);
  if (until !== null) return text('votePanel.multiplierUntil', { factor: times, time: timestamp(until, 'f') });
  if (days === null) return text('votePanel.multiplier', { factor: times });
  const names = days.map((day) => escapeName(weekdayName(locale, weekdays[day - 1] ?? '')));
  return text('votePanel.multiplierOn', { factor: times, days: list(names) });
}

export interface DrawnPanel {
  readonly panel: Panel & { readonly footer: string };
  readonly footers: readonly string[];
  /** True if nothing is missing only because the listing service has not answered. */
  readonly isComplete: boolean;
}

export function digestOf({ panel }: DrawnPanel): string {
  return createHash('sha256').update(JSON.stringify(panel)).digest('hex').slice(0, 32);
}

/**
 * Posts a panel where it was placed, in place of an earlier one, and edits it when it would show something else. One that
 * was deleted is not posted again: its owner gets a report.
 */
function createVotePanelHandler(
  { rest, directory, store: { votePanel: panels }, clock }: PartsContext & WithPanels,
  draw: (guildId: string) => Promise<DrawnPanel | null>,
): Handle<PanelOfGuild> {
  /** Null once it is deleted, or if Discord does not let the bot delete it, so that the new one does not wait for that. */
  async function remove({ channelId, id }: PostedMessage): Promise<AttemptResult | null> {
    try {
      await rest.delete(Routes.channelMessage(channelId, id));
      return null;
    } catch (error) {
      const isRejected = rejectionOf(error) !== null || error instanceof CircuitOpenError;
      return isRejected ? null : classifySendError(error, { channelId, effects: 1 });
    }
  }

  async function show(
    { channelId, messageId, replaced }: StoredPanel,
    { panel, footers }: DrawnPanel,
    effect: Parameters<typeof postOnce>[2]['effect'],
  ): Promise<Posted | null> {
    if (messageId !== null) return editMessage(rest, { id: messageId, channelId }, panel);
    const failure = replaced === null ? null : await remove(replaced);
    return failure ?? postOnce(rest, clock, { channelId, reply: panel, footers, effect });
  }

  return async (effect) => {
    const { guildId, channelId } = effect.content;
    const stored = await panels.find(guildId);
    if (stored === null || stored.channelId !== channelId) return { outcome: 'done' };
    const drawn = await draw(guildId);
    if (drawn === null) return { outcome: 'done' };
    const shown = digestOf(drawn);
    const { messageId } = stored;
    const isShown = messageId !== null && stored.shown === shown;
    const result = isShown ? { messageId } : await show(stored, drawn, effect);
    if (result === null || ('outcome' in result && result.outcome === 'bury')) {
      const reportTo = directory.ofGuild(guildId)?.ownerChannelId ?? null;
      await panels.removed({ guildId, channelId }, reportTo, clock.now());
      return result ?? { outcome: 'done' };
    }
    if ('outcome' in result) return result;
    await panels.updated({ guildId, shown, message: { id: result.messageId, channelId } }, clock.now());
    return { outcome: 'done' };
  };
}
