import type { ConfirmResult, Shop } from '../../../commands/shop-port.ts';
import { handlerQueue } from '../../core/outbox/handler-events.ts';
import type { PurchaseStore, ShopContext } from '../../core/tally/purchase-store.ts';
import type { Clock } from '../../platform/clock.ts';
import { isNotStored } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';

/** The shops of all communities. */
export function createShop(options: {
  /** The shop of the community that a command in this guild is about. */
  readonly shopIn: (guildId: string | null) => ShopContext;
  readonly purchases: PurchaseStore;
  /** Whether there is a handler for purchases; by default there is none. */
  readonly isHandled?: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** Called with the queues of new effects. */
  readonly nudge: (queues: readonly string[]) => void;
  /** Called with `sold`, `repeated`, `fulfilled`, `refunded`, or why nothing was sold: a rejection, `unavailable`. */
  readonly onPurchase: (result: string) => void;
}): Shop {
  const { shopIn, purchases, isHandled = () => false, clock, log, nudge, onPurchase } = options;

  /** Never the code. */
  function report(result: ConfirmResult, { guildId, ownerChannelId }: ShopContext): void {
    onPurchase(resultName(result));
    if (result.outcome !== 'purchased' || result.repeated) return;
    const { id, userId, item, price, balance } = result.purchase;
    log.info({ purchase: id, user: userId, item, price, balance }, 'an item of the shop was sold');
    nudge([`role ${guildId}`, handlerQueue('purchase', guildId), ...(ownerChannelId === null ? [] : [ownerChannelId])]);
  }

  return {
    offers({ userId, guildId, roles }) {
      return purchases.offers(shopIn(guildId), { userId, roles: roles ?? [] }, clock.now());
    },
    async confirm({ userId, guildId, roles }, { itemId, price, confirmationId }) {
      const shop = shopIn(guildId);
      const item = shop.items.find(({ id }) => id === itemId) ?? null;
      const order = { confirmationId, member: { userId, roles: roles ?? [] }, item, confirmedPrice: price };
      const { accounts, ownerChannelId } = shop;
      const result = await purchases
        .purchase({ ...order, accounts, guildId: shop.guildId, ownerChannelId, isHandled: isHandled() }, clock.now())
        .catch((error: unknown) => {
          if (!isNotStored(error)) throw error;
          log.error({ item: itemId, code: error.code, hint: error.hint }, 'a purchase could not be stored');
          return { outcome: 'unavailable' } as const;
        });
      report(result, shop);
      return result;
    },
    purchasesOf: ({ userId, guildId }, limit) => purchases.purchasesOf(userId, shopIn(guildId).accounts, limit),
    async settle({ manager, ...settlement }) {
      const result = await purchases.settle(settlement, clock.now());
      if (result?.settled) {
        const { id, userId, state } = result.purchase;
        onPurchase(state);
        log.info({ purchase: id, user: userId, state, author: manager }, 'a manager settled a purchase');
        nudge(result.queues);
      }
      return result;
    },
  };
}

function resultName(result: ConfirmResult): string {
  switch (result.outcome) {
    case 'purchased':
      return result.repeated ? 'repeated' : 'sold';
    case 'rejected':
      return result.rejection;
    case 'foreign':
    case 'unavailable':
      return result.outcome;
  }
}
