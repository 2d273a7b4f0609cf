import { day } from '@tallyhook/platform/durations';
import {
  bold,
  escapeInline,
  escapeName,
  joined,
  lines,
  type Markup,
  markup,
  mention,
  roleMention,
  timestamp,
} from '@tallyhook/platform/texts/markup';
import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import type { StandingSummary } from '../src/core/ledger/standing.ts';
import { type NextMilestone, nextMilestone } from '../src/core/rewards/milestones.ts';
import { type CommandInput, isOffered, memberOption, offersAt } from '../src/discord/commands/command.ts';
import { findListingPage, type ListingPage, voteButtons } from '../src/discord/commands/listing-page.ts';
import type { ReplyButton, ReplyField } from '../src/discord/commands/reply.ts';
import type { CoveredCommunity, ListedRules } from '../src/features/communities/listings.ts';
import { nextVoteFor, type StatedNextVote } from '../src/features/next-votes/store.ts';
import type { Texts } from '../src/texts/texts.ts';
import type { Command, CommandContext } from './context.ts';
import { causeName, dayOf, entryReason, giftText, programReason } from './entry-reason.ts';

/** Longer texts are truncated (characters). With these limits, five entries fit into a field. */
const maxNameLength = 60;

/** A member's account: balance, rank, streak, next votes and milestone, and the newest entries. */
export const credits = {
  name: 'credits',
  visibility: 'private',
  actions: ['own'],
  offers: [{ place: 'panel', action: 'own', label: ({ text }) => text('votePanel.creditsButton') }],
  menu: ({ text }) => text('credits.menu'),
  availability: 'everywhere',
  needs: 'accounts',
  describe: ({ texts }) => ({
    description: texts.text('credits.description'),
    options: [{ type: ApplicationCommandOptionType.User, name: 'user', description: texts.text('credits.userOption') }],
  }),
  async execute(input, context) {
    const { texts } = context;
    const userId = memberOption(input, 'user', input.userId, texts);
    const isOwn = userId === input.userId;
    const communities = context.communities ?? [];
    if (communities.length > 1) return renderAccounts(userId, isOwn, communities, context);
    const covered = { ...context, ...communities[0] };
    const { standing, listings, votes } = await describeAccount(userId, covered, context);
    return {
      tone: 'plain',
      title: texts.text('credits.title'),
      text: lines(isOwn ? null : mention(userId), ...renderAccount(standing, context)),
      fields: [
        ...renderNextVotes(votes, context),
        ...renderMilestone(standing, input, { ...context, rules: covered.rules }),
        { name: texts.text('credits.entries'), value: renderEntries(standing, listings, context) },
      ],
      buttons: isOwn ? buttonsFor(votes, context) : [],
    };
  },
} as const satisfies Command;

/** Only the first of many communities are shown: a reply has at most 25 fields. */
const maxAccounts = 20;

async function renderAccounts(
  userId: string,
  isOwn: boolean,
  communities: readonly CoveredCommunity[],
  context: CommandContext,
) {
  const { texts } = context;
  const accounts = await Promise.all(
    communities.slice(0, maxAccounts).map((community) => describeAccount(userId, community, context)),
  );
  const fields = accounts.map(({ standing, listings, votes }) => ({
    name: texts.list(listings.map(({ title }) => title)),
    value: lines(...renderAccount(standing, context), ...renderNextVotes(votes, context).map(({ value }) => value)),
  }));
  const votes = accounts.flatMap((account) => account.votes);
  return {
    tone: 'plain',
    title: texts.text('credits.title'),
    text: lines(isOwn ? null : mention(userId)),
    fields,
    buttons: isOwn ? buttonsFor(votes, context) : [],
  } as const;
}

async function describeAccount(
  userId: string,
  { rules: covered, standings }: Pick<CoveredCommunity, 'rules' | 'standings'>,
  context: CommandContext,
) {
  const [standing, stated, listings] = await Promise.all([
    standings.summary(userId, context.clock.now()),
    context.nextVotesOf(userId),
    Promise.all(covered.map((rules) => describeListing(rules, context))),
  ]);
  return { standing, listings, votes: nextVotes(standing, stated, listings) };
}

interface Listing {
  readonly rules: ListedRules;
  readonly title: Markup;
  readonly page: ListingPage;
}

async function describeListing(rules: ListedRules, context: CommandContext): Promise<Listing> {
  const page = await findListingPage(rules.name, context);
  return { rules, title: page.name, page };
}

function renderAccount({ credits: balance, rank, streak }: StandingSummary, { texts }: CommandContext): Markup[] {
  const { text } = texts;
  return [
    rank === null
      ? text('parts.credits', { count: balance })
      : text('credits.ranked', { credits: text('parts.credits', { count: balance }), rank }),
    streak.endsAt === null
      ? text('credits.noStreak')
      : text('credits.streak', {
          days: text('parts.days', { count: streak.days }),
          time: timestamp(streak.endsAt, 'R'),
        }),
  ];
}

interface NextVote extends Listing {
  /** When the next vote is due (ms since the epoch); 0 without a vote. */
  readonly at: number;
}

function nextVotes(
  { lastVotes }: StandingSummary,
  stated: readonly StatedNextVote[],
  listings: readonly Listing[],
): NextVote[] {
  return listings.map((listing) => {
    const { name, names = [name], cooldownMs } = listing.rules;
    return { ...listing, at: nextVoteFor({ names, cooldownMs }, lastVotes, stated)?.nextVoteAt ?? 0 };
  });
}

function renderNextVotes(votes: readonly NextVote[], { texts, clock }: CommandContext): ReplyField[] {
  if (votes.length === 0) return [];
  const value = lines(
    ...votes.map(({ title, at }) =>
      at <= clock.now()
        ? texts.text('credits.now', { name: title })
        : texts.text('credits.later', { name: title, time: timestamp(at, at - clock.now() < day ? 't' : 'f') }),
    ),
  );
  return [{ name: texts.text('credits.nextVote'), value }];
}

function renderMilestone(
  { votes }: StandingSummary,
  input: CommandInput,
  { texts, rules }: CommandContext,
): ReplyField[] {
  const [next] = rules
    .map(({ milestones }) => nextMilestone(milestones, votes))
    .filter((each) => each !== null)
    .toSorted((a, b) => a.votes - b.votes);
  if (next === undefined) return [];
  const left = next.votes - votes;
  const reward = texts.list(rewardsOf(next, input, texts));
  const value = texts.text('credits.milestone', { count: left, votes: next.votes, reward });
  return [{ name: texts.text('credits.nextMilestone'), value }];
}

/** A role has no name outside its guild. */
function rewardsOf({ credits: paid, roles }: NextMilestone, { guildId }: CommandInput, texts: Texts): Markup[] {
  return [
    ...(paid === 0 ? [] : [texts.text('credits.reward', { credits: texts.text('parts.credits', { count: paid }) })]),
    ...roles.map((role) =>
      guildId === null ? texts.text('credits.someRole') : texts.text('credits.role', { role: roleMention(role) }),
    ),
  ];
}

function renderEntries(
  { entries }: StandingSummary,
  listings: readonly Listing[],
  { texts, displayName }: CommandContext,
): Markup {
  if (entries.length === 0) return texts.text('credits.noEntries');
  return lines(
    ...entries.map((entry) => {
      const { cause, credits: amount, at, reason, listing } = entry;
      const ofProgram = programReason(entry);
      const title = listings.find(({ rules }) => rules.name === listing)?.title;
      const everywhere = cause === 'allListings' ? dayOf(reason) : null;
      const source =
        everywhere !== null
          ? texts.text('credits.votedEverywhere', { date: escapeInline(texts.days(everywhere)) })
          : explain(
              ofProgram ?? giftText(entry, texts) ?? causeName(cause, texts),
              title ?? (listing === null ? null : escapeName(displayName(listing), maxNameLength)),
              ofProgram === null ? entryReason(cause, reason, texts) : null,
            );
      return markup`${bold(texts.signed(amount))} · ${source} · ${timestamp(at, 'R')}`;
    }),
  );
}

function explain(cause: Markup, listing: Markup | null, reason: Markup | null): Markup {
  return joined([joined([cause, listing], ': '), reason === null ? null : markup`(${reason})`], ' ');
}

/** The vote button leads to the listing that can be voted for first. */
function buttonsFor(votes: readonly NextVote[], context: CommandContext): readonly ReplyButton[] {
  const offered = context.commands.filter((command) => isOffered(command, context));
  const [first] = votes.filter(({ page }) => page.url).toSorted((a, b) => a.at - b.at);
  return [
    ...(first === undefined ? [] : voteButtons(first.page, context.texts)),
    ...offersAt('account', offered, context.texts),
  ];
}
