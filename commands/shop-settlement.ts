import type { CommandInput } from '../src/discord/commands/input.ts';
import { integerOption } from '../src/discord/commands/input.ts';
import type { Reply } from '../src/discord/commands/reply.ts';
import { escapeName, lines, mention } from '../src/texts/markup.ts';
import type { CommandContext } from './context.ts';

/**
 * Fulfils or refunds a purchase by the buttons of its report in the owner's channel. The report is replaced, so that
 * every manager sees what was done.
 */
export async function settlePurchase(
  input: CommandInput,
  state: 'fulfilled' | 'refunded',
  { shop, texts }: CommandContext,
): Promise<Reply> {
  const { title } = texts.failure;
  if (!input.isManager) return { tone: 'bad', title, text: texts.failure.managersOnly };
  const purchaseId = integerOption(input, 'purchase', { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 });
  const { channelId, userId: manager } = input;
  const result = channelId === null ? null : await shop.settle({ purchaseId, state, channelId, manager });
  if (result === null) return { tone: 'bad', title, text: texts.failure.unknownButton };
  const { purchase, settled } = result;
  const { report } = texts.shop;
  return {
    tone: 'plain',
    title: report.title(purchase.id),
    text: lines(
      report.text(mention(purchase.userId), escapeName(purchase.name), purchase.price),
      settled ? report.settled[state](mention(manager)) : report.settledBefore[purchase.state],
    ),
    at: purchase.at,
    response: settled ? 'update' : 'new',
  };
}
