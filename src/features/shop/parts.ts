import type { Texts } from '../../texts/texts.ts';
import type { FeatureParts } from '../parts.ts';
import type { PurchasedItem } from './effects.ts';
import { renderPurchaseMessage, renderPurchaseReport } from './messages.ts';

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
