import { escapeName, lines, mention } from '@tallyhook/platform/texts/markup';
import { plainName } from '@tallyhook/platform/truncate';
import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { maxCorrection, maxReasonLength } from '../src/core/ledger/correction.ts';
import { errorReply, memberOption, noListing } from '../src/discord/commands/command.ts';
import type { Modal } from '../src/discord/commands/reply.ts';
import type { Texts } from '../src/texts/texts.ts';
import type { Command } from './context.ts';

/** A correction of a member's account by a manager. */
export const award = {
  name: 'award',
  visibility: 'private',
  actions: ['give'],
  menu: ({ text }) => text('award.menu'),
  defaultMemberPermissions: 'ManageGuild',
  needs: 'accounts',
  describe: ({ texts }) => ({
    description: texts.text('award.description'),
    options: [
      {
        type: ApplicationCommandOptionType.User,
        name: 'user',
        description: texts.text('award.userOption'),
        required: true,
      },
      {
        type: ApplicationCommandOptionType.Integer,
        name: 'credits',
        description: texts.text('award.creditsOption'),
        required: true,
        min_value: -maxCorrection,
        max_value: maxCorrection,
      },
      {
        type: ApplicationCommandOptionType.String,
        name: 'reason',
        description: texts.text('award.reasonOption'),
        required: true,
        max_length: maxReasonLength,
      },
    ],
  }),
  async execute(input, { awards, ...context }) {
    const { texts } = context;
    if (awards === null) return noListing(context);
    const userId = memberOption(input, 'user', '', texts);
    if (input.action === null && input.options['credits'] === undefined) return formFor(userId, texts);
    const entered = input.action === null ? input.options : input.fields;
    const credits = Number(entered['credits'] || Number.NaN);
    const reason = plainName(String(entered['reason'] ?? ''), maxReasonLength);
    const isValid = Number.isInteger(credits) && credits !== 0 && Math.abs(credits) <= maxCorrection;
    if (!isValid || userId === '' || reason === '') {
      return errorReply(texts.text('award.invalid', { max: maxCorrection }), texts);
    }
    const { interactionId, userId: author } = input;
    const { outcome, balance } = await awards.award({ userId, credits, reason, author, interactionId });
    if (outcome === 'overdrawn') {
      const left = texts.text('parts.credits', { count: balance });
      return errorReply(texts.text('award.overdrawn', { user: mention(userId), credits: left }), texts);
    }
    return {
      tone: 'good',
      title: texts.text('award.title'),
      text: lines(
        texts.text('award.result', {
          user: mention(userId),
          credits: texts.text('parts.credits', { count: balance }),
          change: texts.signed(credits),
        }),
        texts.text('award.reason', { reason: escapeName(reason) }),
      ),
    };
  },
} as const satisfies Command;

function formFor(userId: string, { text }: Texts): Modal {
  return {
    kind: 'modal',
    title: text('award.menu'),
    action: 'give',
    options: { user: userId },
    fields: [
      {
        kind: 'text',
        name: 'credits',
        label: text('award.creditsField'),
        description: text('award.creditsOption'),
        maxLength: 20,
      },
      {
        kind: 'text',
        name: 'reason',
        label: text('award.reasonField'),
        description: text('award.reasonOption'),
        maxLength: maxReasonLength,
      },
    ],
  };
}
