import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { type CommandInput, choiceOption, integerOption } from '../src/discord/commands/input.ts';
import type { Reply } from '../src/discord/commands/reply.ts';
import { hour } from '../src/platform/durations.ts';
import { commandMention, lines, type Markup, timestamp } from '../src/texts/markup.ts';
import type { Command, CommandContext } from './context.ts';
import { findListingPage, type ListingPage, voteButtons } from './listing.ts';

const states = ['on', 'off'] as const;

/** Direct messages when a vote is due. The buttons of these messages are actions of this command. */
export const remind = {
  name: 'remind',
  visibility: 'private',
  actions: ['on', 'toggle', 'snooze', 'stop'],
  offers: [
    { place: 'vote', action: 'on', label: ({ remind: { button } }) => button },
    { place: 'account', action: 'on', label: ({ credits }) => credits.remindButton },
    { place: 'panel', action: 'toggle', label: ({ remind: { button } }) => button, isFirst: true },
  ],
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
  const pages = await Promise.all(next.map(({ listing }) => findListingPage(listing, context)));
  const toVote = pages.filter((_, index) => next[index]?.dueAt === null);
  const buttons = toVote.flatMap((page) => voteButtons(page, texts));
  const described = pages.map((page, index) => describe(page, next[index]?.dueAt ?? null, context));
  return { tone: 'good', title: texts.remind.titleOn, text: lines(...described, texts.remind.afterVotes), buttons };
}

function describe({ name }: ListingPage, dueAt: number | null, { texts }: CommandContext): Markup {
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
      const page = await findListingPage(listing, context);
      const time = timestamp(result.dueAt, 'R');
      const isSnoozed = result.outcome === 'snoozed';
      return {
        tone: 'wait',
        title: isSnoozed ? texts.remind.titleSnoozed : texts.remind.titleVoted,
        text: texts.remind.next(page.name, time),
        buttons: [
          ...(isSnoozed ? voteButtons(page, texts) : []),
          { kind: 'action', action: 'stop', label: texts.remind.stopButton },
        ],
        response: 'update',
      };
    }
  }
}

function mentionOf({ commandId }: CommandContext): Markup {
  return commandMention('remind', commandId('remind'));
}
