import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { type CommandInput, choiceOption, integerOption } from '../src/discord/commands/input.ts';
import type { Reply } from '../src/discord/commands/reply.ts';
import type { NextReminder } from '../src/features/reminders/reminder.ts';
import { hour } from '../src/platform/durations.ts';
import { commandMention, escapeName, lines, type Markup, timestamp } from '../src/texts/markup.ts';
import type { Command, CommandContext } from './context.ts';
import { fetchListingPage, type ListingPage } from './listing.ts';

const states = ['on', 'off'] as const;

/** Direct messages when a vote is due. The buttons of these messages are actions of this command. */
export const remind = {
  name: 'remind',
  visibility: 'private',
  hasPages: false,
  actions: ['on', 'toggle', 'snooze', 'stop'],
  availability: 'everywhere',
  leadsToDirectMessages: true,
  isServedBy: (listings) => listings.length > 0,
  describe: ({ texts }) => ({
    description: texts.remind.description,
    options: [
      {
        type: ApplicationCommandOptionType.String,
        name: 'state',
        description: texts.remind.stateOption,
        required: true,
        choices: states.map((value) => ({ name: texts.remind.states[value], value })),
      },
    ],
  }),
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
          ? switchOn(input, context)
          : switchOff(input, context);
    }
  },
} as const satisfies Command;

async function switchOn({ userId }: CommandInput, context: CommandContext): Promise<Reply> {
  const { reminders, texts } = context;
  const next = await reminders.switchOn(userId);
  const pages = await Promise.all(next.map(({ listing }) => pageOf(listing, context)));
  const buttons = next.flatMap(({ dueAt }, index) => (dueAt === null ? voteButtons(pages[index], context) : []));
  const described = next.map((each, index) => describe(each, pages[index], context));
  return {
    tone: 'good',
    title: texts.remind.titleOn,
    text: lines(...described, texts.remind.afterVotes),
    buttons,
  };
}

function describe({ listing, dueAt }: NextReminder, page: ListingPage | undefined, { texts }: CommandContext): Markup {
  const name = page?.name ?? escapeName(listing, 60);
  return dueAt === null ? texts.remind.now(name) : texts.remind.next(name, timestamp(dueAt, 'R'));
}

async function switchOff({ userId }: CommandInput, context: CommandContext): Promise<Reply> {
  const { reminders, texts } = context;
  await reminders.switchOff(userId);
  return { tone: 'plain', title: texts.remind.titleOff, text: texts.remind.off(mentionOf(context)) };
}

async function snooze(input: CommandInput, context: CommandContext): Promise<Reply> {
  const { reminders, texts } = context;
  const listing = String(input.options['listing'] ?? '');
  const hours = integerOption(input, 'hours', { min: 1, max: 6, fallback: 1 });
  const result = await reminders.snooze(input.userId, listing, hours * hour);
  switch (result.outcome) {
    case 'unknown':
      return { tone: 'bad', title: texts.failure.title, text: texts.failure.unknownButton };
    case 'off':
      return { tone: 'plain', title: texts.remind.titleOff, text: texts.remind.off(mentionOf(context)) };
    default: {
      const page = await pageOf(listing, context);
      const name = page?.name ?? escapeName(listing, 60);
      const time = timestamp(result.dueAt, 'R');
      const isSnoozed = result.outcome === 'snoozed';
      return {
        tone: 'wait',
        title: isSnoozed ? texts.remind.titleSnoozed : texts.remind.titleVoted,
        text: texts.remind.next(name, time),
        buttons: [
          ...(isSnoozed ? voteButtons(page, context) : []),
          { kind: 'action', action: 'stop', label: texts.remind.stopButton },
        ],
        response: 'update',
      };
    }
  }
}

async function pageOf(name: string, context: CommandContext): Promise<ListingPage | undefined> {
  const listed = context.listings.find((listing) => listing.name === name);
  return listed && fetchListingPage(listed.lookup, context);
}

function voteButtons(page: ListingPage | undefined, { texts }: CommandContext): Reply['buttons'] & object {
  return page?.url ? [{ kind: 'link', label: texts.canVote.voteButton, url: page.url }] : [];
}

function mentionOf({ commandId }: CommandContext): Markup {
  return commandMention('remind', commandId('remind'));
}
