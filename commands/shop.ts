import type { Offer } from '../src/rewards/stored-purchase.ts';
import type { Command, CommandContext, CommandInput } from './command.ts';
import { integerOption } from './command.ts';
import type { Panel, Reply } from './reply.ts';
import { renderConfirmation, renderOffer, renderReceipt, renderRejection } from './shop-item.ts';
import { itemsPerPage, renderPurchases, renderShop } from './shop-pages.ts';
import { settlePurchase } from './shop-settlement.ts';

/** Few enough for Discord's limits with the longest names and codes. */
const shownPurchases = 5;

/**
 * Items for credits. A member presses Buy beside an item, and confirms the purchase; the id of the interaction that shows the
 * confirmation is in the button, so that one confirmation is one purchase.
 */
export const shop = {
  name: 'shop',
  visibility: 'private',
  hasPages: true,
  actions: ['open', 'choose', 'buy', 'confirm', 'cancel', 'purchases', 'done', 'refund'],
  availability: 'everywhere',
  leadsToDirectMessages: true,
  isServedBy: () => true,
  describe: ({ texts }) => ({ description: texts.shop.description, options: [] }),
  async execute(input, context) {
    switch (input.action) {
      // Messages of earlier versions have a select.
      case 'choose':
        return updating(await showItem(input, context, input.values[0] ?? ''));
      case 'buy':
        return updating(await askForConfirmation(input, context));
      case 'confirm':
        return updating(await confirm(input, context));
      case 'cancel':
        return updating(await showPage(input, context));
      case 'purchases':
        return renderPurchases(await context.shop.purchasesOf(input, shownPurchases), shownPurchases, context.texts);
      case 'done':
      case 'refund':
        return settlePurchase(input, input.action === 'done' ? 'fulfilled' : 'refunded', context);
      default:
        return showPage(input, context);
    }
  },
} as const satisfies Command;

function updating<Shown extends Reply | Panel>(reply: Shown): Shown {
  return { ...reply, response: 'update' };
}

async function showPage(input: CommandInput, { shop, texts }: CommandContext): Promise<Panel> {
  const { balance, offers } = await shop.offers(input);
  const pages = Math.max(1, Math.ceil(offers.length / itemsPerPage));
  const page = integerOption(input, 'page', { min: 1, max: pages, fallback: 1 });
  return renderShop({ balance, offers, page, pages }, texts);
}

async function showItem(input: CommandInput, { shop, texts }: CommandContext, itemId: string): Promise<Reply> {
  const { balance, offers } = await shop.offers(input);
  const offer = offerOf(offers, itemId);
  return offer === undefined ? renderRejection('unknown_item', balance, texts) : renderOffer(offer, balance, texts);
}

async function askForConfirmation(input: CommandInput, { shop, texts }: CommandContext): Promise<Reply> {
  const { balance, offers } = await shop.offers(input);
  const offer = offerOf(offers, String(input.options['item'] ?? ''));
  if (offer === undefined) return renderRejection('unknown_item', balance, texts);
  if (offer.rejection !== null) return renderOffer(offer, balance, texts);
  return renderConfirmation(offer, balance, input.interactionId, texts);
}

async function confirm(input: CommandInput, { shop, texts }: CommandContext): Promise<Reply> {
  const { item = '', price = '', id = '' } = input.options;
  const confirmation = { itemId: String(item), price: Number(price), confirmationId: String(id) };
  const result = await shop.confirm(input, confirmation);
  switch (result.outcome) {
    case 'purchased':
      return renderReceipt(result.purchase, texts);
    case 'rejected':
      return renderRejection(result.rejection, result.balance, texts);
    case 'foreign':
      return { tone: 'bad', title: texts.failure.title, text: texts.failure.unknownButton };
  }
}

function offerOf(offers: readonly Offer[], itemId: string): Offer | undefined {
  return offers.find(({ item }) => item.id === itemId);
}
