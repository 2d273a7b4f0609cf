import type { HandlerKind } from '../../core/outbox/handler-events.ts';
import type { Texts } from '../../texts/texts.ts';
import type { FeatureParts, FeatureServices, ServicesContext } from '../parts.ts';
import { shopCard } from './card.ts';
import type { PurchasedItem } from './effects.ts';
import { renderPurchaseMessage, renderPurchaseReport } from './messages.ts';
import { createShop, findShop, type Shop } from './shop.ts';
import type { PurchaseStore } from './store.ts';

declare module '../../../commands/context.ts' {
  interface FeatureContext {
    readonly shop: Shop;
  }
}

export function createServices({
  store,
  directory,
  isHandled,
  nudge,
  metrics,
  clock,
  log,
}: ServicesContext & {
  readonly store: { readonly shop: PurchaseStore };
  readonly isHandled: (kind: HandlerKind) => boolean;
}) {
  const purchases = metrics.counter({
    name: 'tallyhook_purchases_total',
    help: 'Confirmed purchases of the shop, by result; also those that a manager fulfilled or refunded.',
    labels: ['result'],
  });
  const shop = createShop({
    shopIn: (guildId) => findShop(directory, guildId),
    store: store.shop,
    isHandled: () => isHandled('purchase'),
    onPurchase: (result) => purchases.inc({ result }),
    nudge,
    clock,
    log,
  });
  return { commands: { shop }, cards: [shopCard(store.shop)] } satisfies FeatureServices;
}

export function create() {
  return {
    directMessages: {
      purchaseFulfilled: {
        render: async (item: PurchasedItem, texts: Texts) => renderPurchaseMessage('fulfilled', item, texts),
      },
      purchaseRefunded: {
        render: async (item: PurchasedItem, texts: Texts) => renderPurchaseMessage('refunded', item, texts),
      },
    },
    ownerReports: {
      purchase: renderPurchaseReport,
      purchaseRefunded: renderPurchaseReport,
      purchaseClosed: renderPurchaseReport,
    },
  } satisfies FeatureParts;
}
