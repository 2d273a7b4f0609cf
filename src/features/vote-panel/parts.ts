import type { Clock } from '@tallyhook/platform/clock';
import { minute } from '@tallyhook/platform/durations';
import { channelMention } from '@tallyhook/platform/texts/markup';
import type { CommunityId } from '../../core/ledger/account.ts';
import type { Standings } from '../../core/ledger/standing.ts';
import { handle } from '../../core/outbox/perform.ts';
import { amountPerVote } from '../../core/rewards/decide-vote.ts';
import { calendarOf } from '../../core/tally/community.ts';
import { type CommandDefinition, isOffered, listingsTarget, offersAt } from '../../discord/commands/command.ts';
import type { Reply } from '../../discord/commands/reply.ts';
import type { Texts } from '../../texts/texts.ts';
import type { Community } from '../communities/feature.ts';
import {
  type FeatureParts,
  type FeatureServices,
  type PartsContext,
  renderReport,
  type ServicesContext,
} from '../parts.ts';
import { lacksOf } from '../settings.ts';
import { createVotePanelHandler, type DrawnPanel, digestOf } from './panel-message.ts';
import { readPages, renderVotePanel } from './render.ts';
import type { StoredPanel, VotePanelStore } from './store.ts';
import { type LostPanel, lostPanelReport, votePanelKind } from './store.ts';

/** Tells the owner that a panel is gone. */
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
    readonly store: WithPanels['store'] & { standingsIn(communityId: CommunityId, timeZone: string): Standings };
    readonly commands: readonly CommandDefinition[];
  },
) {
  const { store, rest, directory, guildTexts, clock } = context;
  const panels = store.votePanel;
  let stored: ReadonlyMap<string, StoredPanel> = new Map();

  async function draw(guildId: string): Promise<DrawnPanel | null> {
    const community = directory.ofGuild(guildId);
    return community === undefined ? null : drawPanel(community, await guildTexts(guildId), context);
  }

  return {
    effects: [
      handle(
        votePanelKind,
        createVotePanelHandler({
          rest,
          panels,
          draw,
          reportTo: (guildId) => directory.ofGuild(guildId)?.ownerChannelId ?? null,
          clock,
        }),
      ),
    ],
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
    store.standingsIn(communityId, timeZone).leaderboard(board, now),
  ]);
  const place = { listings: listed, lacks: lacksOf(listings) };
  const shown = named.filter(({ name }) => pages.some(({ listed: { name: linked } }) => linked === name));
  const ids = members.map(({ userId }) => userId);
  const content = {
    listings: pages,
    top: members,
    departed: guildId === null ? new Map<string, string>() : await findDeparted({ guildId }, ids),
    moreTied,
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
