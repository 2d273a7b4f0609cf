import { isSnowflake } from '@tallyhook/platform/snowflake';
import { lines, type Markup, mention } from '@tallyhook/platform/texts/markup';
import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { maxCorrection } from '../src/core/ledger/correction.ts';
import { type CommandInput, errorReply, integerOption, memberOption } from '../src/discord/commands/command.ts';
import type { Reply } from '../src/discord/commands/reply.ts';
import type { GiftRejection } from '../src/features/gifts/gift.ts';
import type { Gifts } from '../src/features/gifts/parts.ts';
import { giftLimit } from '../src/features/gifts/settings.ts';
import type { Texts } from '../src/texts/texts.ts';
import type { Command } from './context.ts';

/**
 * Gives credits to another member after a confirmation. The id of the interaction that shows the confirmation is in the
 * button, so that one confirmation is one gift. Nobody is pinged: members would send each other messages in this way.
 */
export const gift = {
  name: 'gift',
  visibility: 'private',
  actions: ['confirm', 'cancel'],
  needs: giftLimit.path,
  describe: ({ texts }) => ({
    description: texts.text('gift.description'),
    options: [
      {
        type: ApplicationCommandOptionType.User,
        name: 'user',
        description: texts.text('gift.userOption'),
        required: true,
      },
      {
        type: ApplicationCommandOptionType.Integer,
        name: 'credits',
        description: texts.text('gift.creditsOption'),
        required: true,
        min_value: 1,
        max_value: maxCorrection,
      },
    ],
  }),
  async execute(input, context) {
    const { gifts, texts } = context;
    const { text } = texts;
    if (input.action === 'cancel')
      return { tone: 'plain', title: text('gift.title'), text: text('gift.cancelled'), response: 'update' };
    if (input.guildId === null) return errorReply(text('gift.onlyInServers'), texts);
    if (gifts.limit === null) return { tone: 'wait', title: text('gift.title'), text: text('gift.off') };
    const place = { gifts, limit: gifts.limit, texts };
    return input.action === 'confirm' ? confirm(input, place) : offer(input, place);
  },
} as const satisfies Command;

/** Where members give each other credits. */
interface GiftPlace {
  readonly gifts: Gifts;
  /** Credits that a member may give in a calendar day. */
  readonly limit: number;
  readonly texts: Texts;
}

interface Offered {
  readonly receiverId: string;
  /** Null if it is not a whole number of 1 or more. */
  readonly credits: number | null;
}

/** The options, which can be forged. @throws InputError for a bot */
function offeredBy(input: CommandInput, texts: Texts): Offered {
  const credits = integerOption(input, 'credits', { min: 0, max: maxCorrection + 1, fallback: 0 });
  const isValid = credits >= 1 && credits <= maxCorrection;
  return { receiverId: memberOption(input, 'user', '', texts), credits: isValid ? credits : null };
}

async function offer(input: CommandInput, { gifts, limit, texts }: GiftPlace): Promise<Reply> {
  const { text } = texts;
  const { receiverId, credits } = offeredBy(input, texts);
  if (receiverId === '' || credits === null) return errorReply(text('gift.invalid', { max: maxCorrection }), texts);
  if (receiverId === input.userId) return errorReply(text('gift.toOneself'), texts);
  const receiver = mention(receiverId);
  if (!input.resolved.users[receiverId]?.roles) return errorReply(text('gift.notMember', { user: receiver }), texts);
  const { balance, left } = await gifts.allowanceOf(input.userId);
  if (credits > left) return refusal('over_limit', { balance, left }, limit, texts);
  if (credits > balance) return refusal('overdrawn', { balance, left }, limit, texts);
  return {
    tone: 'plain',
    title: text('gift.question'),
    text: lines(
      text('gift.offer', { user: receiver, credits: creditsText(credits, texts) }),
      text('shop.confirmation.balance', { before: balance, after: balance - credits }),
      text('gift.left', { credits: creditsText(left - credits, texts), limit }),
    ),
    buttons: [
      {
        kind: 'action',
        label: text('shop.confirm'),
        style: 'success',
        action: 'confirm',
        options: { user: receiverId, credits, id: input.interactionId },
      },
      { kind: 'action', label: text('shop.cancel'), action: 'cancel' },
    ],
  };
}

async function confirm(input: CommandInput, { gifts, limit, texts }: GiftPlace): Promise<Reply> {
  const { text } = texts;
  const { receiverId, credits } = offeredBy(input, texts);
  const { userId: giverId } = input;
  const confirmationId = String(input.options['id'] ?? '');
  if (!isSnowflake(confirmationId) || receiverId === '' || credits === null || receiverId === giverId)
    return errorReply(text('failure.unknownButton'), texts);
  const result = await gifts.give({ confirmationId, giverId, receiverId, credits });
  switch (result.outcome) {
    case 'given':
      return {
        tone: 'good',
        title: text('shop.receipt.title'),
        text: lines(
          text('gift.given', { user: mention(receiverId), credits: creditsText(credits, texts) }),
          text('shop.receipt.balance', { credits: creditsText(result.balance, texts) }),
        ),
        response: 'update',
      };
    case 'rejected':
      return { ...refusal(result.rejection, result, limit, texts), response: 'update' };
    case 'foreign':
      return errorReply(text('failure.unknownButton'), texts);
  }
}

function refusal(
  rejection: GiftRejection,
  { balance, left }: { readonly balance: number; readonly left: number },
  limit: number,
  texts: Texts,
): Reply {
  const { text } = texts;
  switch (rejection) {
    case 'over_limit':
      return errorReply(text('gift.overLimit', { limit: creditsText(limit, texts), left }), texts);
    case 'overdrawn':
      return errorReply(text('gift.overdrawn', { credits: creditsText(balance, texts) }), texts);
  }
}

function creditsText(count: number, { text }: Texts): Markup {
  return text('parts.credits', { count });
}
