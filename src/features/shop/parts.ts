import type { OwnerReportContent } from '../../core/outbox/effect-contents.ts';
import type { HandlerKind } from '../../core/outbox/handler-events.ts';
import type { Reply, ReplyButton } from '../../discord/commands/reply.ts';
import { escapeName, lines, mention } from '../../texts/markup.ts';
import type { Texts } from '../../texts/texts.ts';
import type { FeatureParts, FeatureServices, ServicesContext } from '../parts.ts';
import { shopCard } from './card.ts';
import type { PurchasedItem } from './effects.ts';
import { createShop, findShop, type Shop } from './shop.ts';
import type { PurchaseStore } from './store.ts';

type PurchaseReport = Extract<OwnerReportContent, { readonly purchaseId: number }>;

/** The report of a purchase in the owner's channel, with buttons for managers if the owner has to fulfil it. */
export function renderPurchaseReport(purchase: PurchaseReport, { shop }: Texts): Reply {
  const { report } = shop;
  const { type, purchaseId, item, price } = purchase;
  if (type === 'purchaseClosed') {
    return { tone: 'wait', title: report.title(purchaseId), text: report.closed(escapeName(item), price) };
  }
  const { userId } = purchase;
  const text = report.text(mention(userId), escapeName(item), price);
  const title = report.title(purchaseId);
  if (type === 'purchaseRefunded') return { tone: 'bad', title, text: lines(text, report.refundedRole) };
  const target = { kind: 'action', command: 'shop', options: { purchase: purchaseId } } as const;
  const buttons: ReplyButton[] = [
    { ...target, action: 'done', label: shop.done, style: 'success' },
    { ...target, action: 'refund', label: shop.refund, style: 'danger' },
  ];
  return { tone: 'plain', title, text: lines(text, report.todo), buttons };
}

/** The direct message to the buyer about what became of a purchase. */
export function renderPurchaseMessage(
  result: 'fulfilled' | 'refunded',
  { item, price }: PurchasedItem,
  { shop }: Texts,
): Reply {
  const { message } = shop;
  const name = escapeName(item);
  return result === 'fulfilled'
    ? { tone: 'good', title: message.fulfilledTitle, text: message.fulfilled(name) }
    : { tone: 'wait', title: message.refundedTitle, text: message.refunded(name, price) };
}

declare module '../../../commands/context.ts' {
  interface FeatureContext {
    readonly shop: Shop;
  }
}

export function createServices(
  context: ServicesContext & {
    readonly store: { readonly shop: PurchaseStore };
    readonly isHandled: (kind: HandlerKind) => boolean;
  },
) {
  const { store, directory, isHandled, metrics } = context;
  const purchases = metrics.counter({
    name: 'tallyhook_purchases_total',
    help: 'Confirmed purchases of the shop, by result; also those that a manager fulfilled or refunded.',
    labels: ['result'],
  });
  const shop = createShop({
    ...context,
    shopIn: (guildId) => findShop(directory, guildId),
    store: store.shop,
    isHandled: () => isHandled('purchase'),
    onPurchase: (result) => purchases.inc({ result }),
  });
  return { commands: { shop }, cards: [shopCard(store.shop)] } satisfies FeatureServices;
}

export function create() {
  const message = (result: 'fulfilled' | 'refunded') => ({
    render: async (item: PurchasedItem, texts: Texts) => renderPurchaseMessage(result, item, texts),
  });
  return {
    directMessages: { purchaseFulfilled: message('fulfilled'), purchaseRefunded: message('refunded') },
    ownerReports: {
      purchase: renderPurchaseReport,
      purchaseRefunded: renderPurchaseReport,
      purchaseClosed: renderPurchaseReport,
    },
  } satisfies FeatureParts;
}
