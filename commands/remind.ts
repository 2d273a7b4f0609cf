import { hour } from '@tallyhook/platform/durations';
import { commandMention, lines, type Markup, subtext, timestamp } from '@tallyhook/platform/texts/markup';
import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { type CommandInput, choiceOption, errorReply, integerOption } from '../src/discord/commands/command.ts';
import { findListingPage, type ListingPage, voteButtons } from '../src/discord/commands/listing-page.ts';
import type { Reply } from '../src/discord/commands/reply.ts';
import type { Command, CommandContext } from './context.ts';

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
  describe: ({ texts }) => ({
    description: texts.text('remind.description'),
    options: [
      {
        type: ApplicationCommandOptionType.String,
        name: 'state',
        description: texts.text('remind.stateOption'),
        required: true,
        choices: states.map((value) => ({ name: texts.text(`remind.states.${value}`), value })),
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
  return {
    tone: 'good',
    title: texts.text('remind.titleOn'),
    text: lines(...described, subtext(texts.text('remind.afterVotes'))),
    buttons,
  };
}

function describe({ name }: ListingPage, dueAt: number | null, { texts }: CommandContext): Markup {
  return dueAt === null
    ? texts.text('remind.now', { name })
    : texts.text('remind.next', { name, time: timestamp(dueAt, 'R') });
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
      const page = await findListingPage(listing, context);
      const time = timestamp(result.dueAt, 'R');
      const isSnoozed = result.outcome === 'snoozed';
      return {
        tone: 'wait',
        title: isSnoozed ? texts.text('remind.titleSnoozed') : texts.text('remind.titleVoted'),
        text: texts.text('remind.next', { name: page.name, time }),
        buttons: [
          ...(isSnoozed ? voteButtons(page, texts) : []),
          { kind: 'action', action: 'stop', label: texts.text('remind.stopButton') },
        ],
        response: 'update',
      };
    }
  }
}

function mentionOf({ commandId }: CommandContext): Markup {
  return commandMention('remind', commandId('remind'));
}
