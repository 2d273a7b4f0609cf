import { escapeName, lines, mention } from '@tallyhook/platform/texts/markup';
import { type CommandInput, InputError, integerOption } from '../src/discord/commands/input.ts';
import type { Panel, Reply } from '../src/discord/commands/reply.ts';
import { priceText } from '../src/features/shop/price-text.ts';
import type { Offer, ShopVisitor } from '../src/features/shop/purchase.ts';
import { shop as items } from '../src/features/shop/settings.ts';
import { chosenCommunity, communityChoice } from './communities.ts';
import type { Command, CommandContext, CoveredCommunity } from './context.ts';
import {
  type ComponentOptions,
  itemsPerPage,
  renderConfirmation,
  renderOffer,
  renderPurchases,
  renderReceipt,
  renderRejection,
  renderShop,
  unpackConfirmation,
} from './shop-item.ts';

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
  actions: ['open', 'buy', 'confirm', 'cancel', 'purchases', 'done', 'refund', 'community'],
  offers: [
    { place: 'account', action: 'open', label: ({ text }) => text('credits.shopButton') },
    { place: 'panel', action: 'open', label: ({ text }) => text('credits.shopButton') },
  ],
  availability: 'everywhere',
  leadsToDirectMessages: true,
  needs: items.path,
  describe: ({ texts }) => ({ description: texts.text('shop.description'), options: [] }),
  async execute(input, context) {
    switch (input.action) {
      case 'buy':
      case 'confirm':
      case 'cancel':
      case 'community':
        return updating(await visit(input, context));
      case 'done':
      case 'refund':
        return settlePurchase(input, input.action === 'done' ? 'fulfilled' : 'refunded', context);
      default:
        return visit(input, context);
    }
  },
} as const satisfies Command;

/** In direct messages, of several shops first the choice of one. */
async function visit(input: CommandInput, context: CommandContext): Promise<Reply | Panel> {
  const { texts } = context;
  const options = input.action === 'confirm' ? unpackConfirmation(input.options) : input.options;
  const selected = input.action === 'community' ? (input.values[0] ?? '') : options['community'];
  const chosen = chosenCommunity(selected, context);
  if (chosen === null) return communityChoice({ title: texts.text('shop.title') }, context);
  const visitor = visitorOf(input, chosen.community);
  const shop: OpenShop = { visitor, options: chosen.options, context };
  switch (input.action) {
    case 'buy':
      return askForConfirmation(shop, String(options['item'] ?? ''), input.interactionId);
    case 'confirm':
      return confirm(shop, options);
    case 'purchases':
      return renderPurchases(await context.shop.purchasesOf(visitor, shownPurchases), shownPurchases, texts);
    default:
      return showPage(shop, input);
  }
}

/** The shop of a community, and the member in front of it. */
interface OpenShop {
  readonly visitor: ShopVisitor;
  /** That name the community in the components, if there are several. */
  readonly options: ComponentOptions;
  readonly context: CommandContext;
}

/** The roles of another guild say nothing. */
function visitorOf({ userId, guildId, roles }: CommandInput, community: CoveredCommunity | null): ShopVisitor {
  if (community === null) return { userId, guildId, roles };
  return { userId, guildId: community.guildId, roles: community.guildId === guildId ? roles : null };
}

function updating<Shown extends Reply | Panel>(reply: Shown): Shown {
  return { ...reply, response: 'update' };
}

async function showPage({ visitor, options, context }: OpenShop, input: CommandInput): Promise<Panel> {
  const { shop, texts } = context;
  const { balance, offers } = await shop.offers(visitor);
  const pages = Math.max(1, Math.ceil(offers.length / itemsPerPage));
  const page = integerOption(input, 'page', { min: 1, max: pages, fallback: 1 });
  return renderShop({ balance, offers, page, pages, options }, texts);
}

async function showItem({ visitor, options, context }: OpenShop, itemId: string): Promise<Reply> {
  const { shop, texts } = context;
  const { balance, offers } = await shop.offers(visitor);
  const offer = offerOf(offers, itemId);
  if (offer === undefined) return renderRejection('unknown_item', balance, options, texts);
  return renderOffer(offer, balance, options, texts);
}

/** @param confirmationId the id of the interaction that is answered with the confirmation */
async function askForConfirmation(
  { visitor, options, context }: OpenShop,
  itemId: string,
  confirmationId: string,
): Promise<Reply> {
  const { shop, texts } = context;
  const { balance, offers } = await shop.offers(visitor);
  const offer = offerOf(offers, itemId);
  if (offer === undefined) return renderRejection('unknown_item', balance, options, texts);
  if (offer.rejection !== null) return renderOffer(offer, balance, options, texts);
  return renderConfirmation(offer, balance, { confirmationId, options }, texts);
}

async function confirm({ visitor, options, context }: OpenShop, confirmed: ComponentOptions): Promise<Reply> {
  const { shop, texts } = context;
  const { item = '', price = '', id = '' } = confirmed;
  const confirmation = { itemId: String(item), price: Number(price), confirmationId: String(id) };
  const result = await shop.confirm(visitor, confirmation);
  switch (result.outcome) {
    case 'purchased':
      return renderReceipt(result.purchase, options, texts);
    case 'rejected':
      if (result.rejection === 'role_required') return showItem({ visitor, options, context }, confirmation.itemId);
      return renderRejection(result.rejection, result.balance, options, texts);
    case 'unavailable':
      // A message of its own: the button stays, and pressing it again is the same purchase.
      throw new InputError(texts.text('shop.notCharged'));
    case 'foreign':
      return { tone: 'bad', title: texts.text('failure.title'), text: texts.text('failure.unknownButton') };
  }
}

function offerOf(offers: readonly Offer[], itemId: string): Offer | undefined {
  return offers.find(({ item }) => item.id === itemId);
}

const settledBefore = {
  fulfilled: 'shop.report.fulfilledBefore',
  refunded: 'shop.report.refundedBefore',
  confirmed: 'shop.report.notFulfilled',
} as const;

/**
 * Fulfils or refunds a purchase by the buttons of its report in the owner's channel. The report is replaced, so that
 * every manager sees what was done.
 */
async function settlePurchase(
  input: CommandInput,
  state: 'fulfilled' | 'refunded',
  { shop, texts }: CommandContext,
): Promise<Reply> {
  const { text } = texts;
  if (!input.isManager) return { tone: 'bad', title: text('failure.title'), text: text('failure.managersOnly') };
  const purchaseId = integerOption(input, 'purchase', { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 });
  const { channelId, userId: manager } = input;
  const result = channelId === null ? null : await shop.settle({ purchaseId, state, channelId, manager });
  if (result === null) return { tone: 'bad', title: text('failure.title'), text: text('failure.unknownButton') };
  const { purchase, settled } = result;
  return {
    tone: 'plain',
    title: text('shop.report.title', { id: purchase.id }),
    text: lines(
      text('shop.report.text', {
        user: mention(purchase.userId),
        name: escapeName(purchase.name),
        price: priceText(purchase.price, texts),
      }),
      settled ? text(`shop.report.${state}By`, { manager: mention(manager) }) : text(settledBefore[purchase.state]),
    ),
    at: purchase.at,
    response: settled ? 'update' : 'new',
  };
}
