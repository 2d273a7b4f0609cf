import type { FeatureParts } from '../parts.ts';
import { renderPurchaseMessage, renderPurchaseReport } from './messages.ts';

export function create() {
  return {
    directMessages: {
      purchaseFulfilled: { render: async (item, texts) => renderPurchaseMessage('fulfilled', item, texts) },
      purchaseRefunded: { render: async (item, texts) => renderPurchaseMessage('refunded', item, texts) },
    },
    ownerReports: {
      purchase: renderPurchaseReport,
      purchaseRefunded: renderPurchaseReport,
      purchaseClosed: renderPurchaseReport,
    },
  } satisfies FeatureParts;
}
