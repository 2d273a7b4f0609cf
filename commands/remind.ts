import { day, hour } from '@tallyhook/platform/durations';
import {
  bold,
  channelMention,
  commandMention,
  escapeInline,
  escapeName,
  lines,
  type Markup,
  subtext,
  timestamp,
} from '@tallyhook/platform/texts/markup';
import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import {
  type CommandInput,
  choiceOption,
  errorReply,
  InputError,
  integerOption,
  type ListedLookup,
} from '../src/discord/commands/command.ts';
import {
  findListingPage,
  type ListingPage,
  nameWithSite,
  voteButtons,
  voteLinkTo,
} from '../src/discord/commands/listing-page.ts';
import type { Reply, ReplyButton } from '../src/discord/commands/reply.ts';
import { formatQuietHours, parseQuietHours } from '../src/features/reminders/quiet-hours.ts';
import type { ChosenReminders } from '../src/features/reminders/store.ts';
import type { Command, CommandContext } from './context.ts';
import { completeListing, listingOption, selectedListing } from './listing.ts';

/** Characters of the quiet hours that a member types. */
const maxQuietLength = 30;
const states = ['on', 'off'] as const;

/** Direct messages when a vote is due. The buttons of these messages are actions of this command. */
export const remind = {
  name: 'remind',
  visibility: 'private',
  actions: ['on', 'toggle', 'snooze', 'stop'],
  offers: [
    { place: 'vote', action: 'on', label: ({ text }) => text('remind.button') },
    { place: 'account', action: 'on', label: ({ text }) => text('credits.remindButton') },
    { place: 'panel', action: 'toggle', label: ({ text }) => text('remind.button'), isFirst: true },
  ],
  availability: 'everywhere',
  leadsToDirectMessages: true,
  isServedBy: (listings) => listings.length > 0,
  describe: ({ listings, isShared, texts }) => ({
    description: texts.text('remind.description'),
    options: [
      {
        type: ApplicationCommandOptionType.String,
        name: 'state',
        description: texts.text('remind.stateOption'),
        required: true,
        choices: states.map((value) => ({ name: texts.text(`remind.states.${value}`), value })),
      },
      ...(isShared || listings.length > 1 ? [listingOption({ listings, isShared, texts })] : []),
      {
        type: ApplicationCommandOptionType.String,
        name: 'quiet_hours',
        description: texts.text('remind.quietOption'),
        max_length: maxQuietLength,
      },
      {
        type: ApplicationCommandOptionType.Boolean,
        name: 'channel',
        description: texts.text('remind.channelOption'),
      },
    ],
  }),
  autocomplete: completeListing,
  async execute(input, context) {
    switch (input.action) {
      case 'snooze':
        return snooze(input, context);
      case 'stop':
        return { ...(await switchOff(input, context)), response: 'update' };
      case 'on':
        return switchOn(input, context);
      case 'toggle':
        return (await context.reminders.isOn(input.userId)) ? switchOff(input, context) : switchOn(input, context);
      default:
        return choiceOption(input, 'state', states, 'on') === 'on'
          ? switchOn(input, context, chosenBy(input, context))
          : input.options['listing'] === undefined
            ? switchOff(input, context)
            : mute(input, context);
    }
  },
} as const satisfies Command;

/** The choices in the options of the command. @throws InputError for an unknown listing or invalid quiet hours */
function chosenBy(input: CommandInput, context: CommandContext): ChosenReminders {
  const { listing, quiet_hours: typed, channel } = input.options;
  const quiet = typed === undefined ? undefined : parseQuietHours(String(typed));
  if (typed !== undefined && quiet === undefined) {
    throw new InputError(
      context.texts.text('remind.wrongQuiet', { typed: bold(escapeName(String(typed), maxQuietLength)) }),
    );
  }
  return {
    ...(listing !== undefined && { listing: selectedListing(input, context).name }),
    ...(quiet !== undefined && { quiet }),
    ...(typeof channel === 'boolean' && { inChannel: channel }),
  };
}

async function switchOn(
  { userId }: CommandInput,
  context: CommandContext,
  chosen: ChosenReminders = {},
): Promise<Reply> {
  const { reminders, texts } = context;
  const next = await reminders.switchOn(userId, chosen);
  const pages = await pagesOf(
    next.flatMap(({ listing, dueAt }) => (dueAt === null ? listing : [])),
    context,
  );
  const dueTimes = next.flatMap(({ dueAt }) => dueAt ?? []);
  return {
    tone: 'good',
    title: texts.text('remind.titleOn'),
    text: lines(
      pages.length === 0 ? null : texts.text('remind.now', { name: namesOf(pages, context) }),
      dueTimes.length === 0 ? null : nextText(Math.min(...dueTimes), context),
      ...(await describeChoices(userId, context)),
      subtext(texts.text('remind.afterVotes')),
    ),
    buttons: linksTo(pages, context),
  };
}

function nextText(dueAt: number, { texts, clock }: CommandContext): Markup {
  // The reply stays: a relative time would be wrong later.
  const time = timestamp(dueAt, dueAt - clock.now() < day ? 't' : 'f');
  return texts.text('remind.nextAt', { time });
}

/**
 * The member's choices in all communities, a line each: quiet hours, muted listings, and the channel; null by default.
 */
async function describeChoices(userId: string, context: CommandContext): Promise<readonly (Markup | null)[]> {
  const { reminders, texts } = context;
  const all = await reminders.choicesOf(userId);
  const muted = await pagesOf(
    all.flatMap((each) => each.muted),
    context,
  );
  const quiet = all.find((each) => each.quiet !== null)?.quiet ?? null;
  const [channelId] = reminders.channelIds;
  return [
    quiet === null ? null : texts.text('remind.quiet', { hours: escapeInline(formatQuietHours(quiet)) }),
    muted.length === 0 ? null : texts.text('remind.muted', { name: namesOf(muted, context) }),
    !all.some(({ inChannel }) => inChannel)
      ? null
      : channelId === undefined
        ? texts.text('remind.noChannel')
        : texts.text('remind.inChannel', { channel: channelMention(channelId) }),
  ];
}

/** The pages of listings; of those with a client, with their sites. */
async function pagesOf(names: readonly string[], context: CommandContext): Promise<readonly NamedPage[]> {
  return Promise.all(
    names.map(async (name) => {
      return {
        listed: context.listings.find((each) => each.name === name),
        page: await findListingPage(name, context),
      };
    }),
  );
}

interface NamedPage {
  readonly listed: ListedLookup | undefined;
  readonly page: ListingPage;
}

function namesOf(pages: readonly NamedPage[], { texts }: CommandContext): Markup {
  return texts.list(
    pages.map(({ listed, page }) => (listed === undefined ? page.name : nameWithSite({ listed, page }))),
  );
}

/** Named by their listings if there are several. */
function linksTo(pages: readonly NamedPage[], { texts }: CommandContext): readonly ReplyButton[] {
  const [only] = pages;
  if (only === undefined || pages.length === 1) return only === undefined ? [] : voteButtons(only.page, texts);
  const listed = pages.flatMap(({ listed: each, page }) => (each === undefined ? [] : { listed: each, page }));
  return listed.flatMap((each) => voteLinkTo(each, listed, texts));
}

async function mute(input: CommandInput, context: CommandContext): Promise<Reply> {
  const { reminders, texts } = context;
  const { name } = selectedListing(input, context);
  await reminders.mute(input.userId, name);
  const text = texts.text('remind.mutedNow', {
    name: namesOf(await pagesOf([name], context), context),
    command: mentionOf(context),
  });
  return { tone: 'plain', text };
}

async function switchOff({ userId }: CommandInput, context: CommandContext): Promise<Reply> {
  const { reminders, texts } = context;
  await reminders.switchOff(userId);
  return {
    tone: 'plain',
    title: texts.text('remind.titleOff'),
    text: texts.text('remind.off', { command: mentionOf(context) }),
  };
}

async function snooze(input: CommandInput, context: CommandContext): Promise<Reply> {
  const { reminders, texts } = context;
  const listing = String(input.options['listing'] ?? '');
  const hours = integerOption(input, 'hours', { min: 1, max: 6, fallback: 1 });
  const result = await reminders.snooze(input.userId, listing, hours * hour);
  switch (result.outcome) {
    case 'unknown':
      return errorReply(texts.text('failure.unknownButton'), texts);
    case 'off':
      return {
        tone: 'plain',
        title: texts.text('remind.titleOff'),
        text: texts.text('remind.off', { command: mentionOf(context) }),
      };
    default: {
      const isSnoozed = result.outcome === 'snoozed';
      const pages = isSnoozed ? await pagesOf(result.listings, context) : [];
      return {
        tone: 'wait',
        title: isSnoozed ? texts.text('remind.titleSnoozed') : texts.text('remind.titleVoted'),
        text: nextText(result.dueAt, context),
        buttons: [
          ...linksTo(pages, context),
          { kind: 'action', action: 'stop', label: texts.text('remind.stopButton'), beginsRow: true },
        ],
        response: 'update',
      };
    }
  }
}

function mentionOf({ commandId }: CommandContext): Markup {
  return commandMention('remind', commandId('remind'));
}
