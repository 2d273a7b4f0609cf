import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { maxCorrection, maxReasonLength } from '../src/core/ledger/correction.ts';
import { noListing } from '../src/discord/commands/no-listing.ts';
import type { Modal } from '../src/discord/commands/reply.ts';
import { plainName } from '../src/platform/truncate.ts';
import { escapeName, lines, mention } from '../src/texts/markup.ts';
import type { Texts } from '../src/texts/texts.ts';
import type { Command } from './context.ts';
import { memberOption } from './member-option.ts';

/** A correction of a member's account by a manager. */
export const award = {
  name: 'award',
  visibility: 'private',
  actions: ['give'],
  menu: ({ award: texts }) => texts.menu,
  defaultMemberPermissions: 'ManageGuild',
  needs: 'accounts',
  describe: ({ texts }) => ({
    description: texts.award.description,
    options: [
      {
        type: ApplicationCommandOptionType.User,
        name: 'user',
        description: texts.award.userOption,
        required: true,
      },
      {
        type: ApplicationCommandOptionType.Integer,
        name: 'credits',
        description: texts.award.creditsOption,
        required: true,
        min_value: -maxCorrection,
        max_value: maxCorrection,
      },
      {
        type: ApplicationCommandOptionType.String,
        name: 'reason',
        description: texts.award.reasonOption,
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
      return { tone: 'bad', title: texts.failure.title, text: texts.award.invalid(maxCorrection) };
    }
    const { interactionId, userId: author } = input;
    const { outcome, balance } = await awards.award({ userId, credits, reason, author, interactionId });
    if (outcome === 'overdrawn') {
      const text = texts.award.overdrawn(mention(userId), balance);
      return { tone: 'bad', title: texts.failure.title, text };
    }
    return {
      tone: 'good',
      title: texts.award.title,
      text: lines(texts.award.result(mention(userId), balance, credits), texts.award.reason(escapeName(reason))),
    };
  },
} as const satisfies Command;

/** Asks for what the menu of a member does not. */
function formFor(userId: string, { award: texts }: Texts): Modal {
  return {
    kind: 'modal',
    title: texts.menu,
    action: 'give',
    options: { user: userId },
    fields: [
      { kind: 'text', name: 'credits', label: texts.creditsField, description: texts.creditsOption, maxLength: 20 },
      {
        kind: 'text',
        name: 'reason',
        label: texts.reasonField,
        description: texts.reasonOption,
        maxLength: maxReasonLength,
      },
    ],
  };
}
