import type { Clock } from '@tallyhook/platform/clock';
import { isNotStored } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { type CommunityId, noCommunity } from '../../core/ledger/account.ts';
import type { QueueName } from '../../core/outbox/queue.ts';
import { queueName } from '../../core/outbox/queue.ts';
import type { RoleAccess } from '../roles/feature.ts';
import { shopItems } from './item.ts';
import { dependsOnRoles, findUnreadyItems, type ReportUnreadyItem } from './item-issues.ts';
import type { ConfirmResult, Shop, ShopContext } from './purchase.ts';
import type { PurchaseStore } from './store.ts';

export function createShop(options: {
  /** The shop of the community that a command in this guild is about. */
  readonly shopIn: (guildId: string | null) => ShopContext;
  readonly store: PurchaseStore;
  /** What the bot may do with the roles of a guild; null if Discord does not say in time. */
  readonly roleAccess: (guildId: string) => Promise<RoleAccess | null>;
  readonly reportUnready: ReportUnreadyItem;
  /** Whether there is a handler for purchases; by default there is none. */
  readonly isHandled?: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** Called with the queues of new effects. */
  readonly nudge: (queues: readonly QueueName[]) => void;
  /** Called with `sold`, `repeated`, `fulfilled`, `refunded`, or why nothing was sold: a rejection, `unavailable`. */
  readonly onPurchase: (result: string) => void;
}): Shop {
  const { shopIn, store, roleAccess, reportUnready, isHandled = () => false, clock, log, nudge, onPurchase } = options;

  /** The ids of the items that nobody can get, which are reported to the team. */
  async function findUnready(shop: ShopContext): Promise<ReadonlySet<string>> {
    const isAboutRoles = shop.guildId !== null && dependsOnRoles(shop);
    const access = isAboutRoles ? await roleAccess(shop.guildId) : null;
    const unready = findUnreadyItems(shop, access);
    for (const each of unready) await reportUnready(shop, each, access?.guildName ?? null);
    return new Set(unready.map(({ item }) => item.id));
  }

  /** Never the code. */
  function report(result: ConfirmResult, { communityId, guildId, ownerChannelId }: ShopContext): void {
    onPurchase(resultName(result));
    if (result.outcome !== 'purchased' || result.repeated) return;
    const { id, userId, item, price, balance } = result.purchase;
    log.info({ purchase: id, user: userId, item, price, balance }, 'an item of the shop was sold');
    const roles = guildId === null ? [] : [queueName('roles', communityId, guildId)];
    const reports = ownerChannelId === null ? [] : [queueName('channel', communityId, ownerChannelId)];
    nudge([...roles, queueName('handler', communityId, 'purchase'), ...reports]);
  }

  return {
    async offers({ userId, guildId, roles }) {
      const shop = shopIn(guildId);
      const unready = await findUnready(shop);
      return store.offers({ ...shop, unready }, { userId, roles: roles ?? [] }, clock.now());
    },
    async confirm({ userId, guildId, roles }, { itemId, price, confirmationId }) {
      const shop = shopIn(guildId);
      const item = shop.items.find(({ id }) => id === itemId) ?? null;
      const order = { confirmationId, member: { userId, roles: roles ?? [] }, item, confirmedPrice: price };
      const { communityId, ownerChannelId } = shop;
      const isReady = !(await findUnready(shop)).has(itemId);
      const result = await store
        .purchase(
          { ...order, communityId, guildId: shop.guildId, ownerChannelId, isReady, isHandled: isHandled() },
          clock.now(),
        )
        .catch((error: unknown) => {
          if (!isNotStored(error)) throw error;
          log.error({ item: itemId, code: error.code, hint: error.hint }, 'a purchase could not be stored');
          return { outcome: 'unavailable' } as const;
        });
      report(result, shop);
      return result;
    },
    purchasesOf: ({ userId, guildId }, limit) => store.purchasesOf(userId, shopIn(guildId).communityId, limit),
    async settle({ manager, ...settlement }) {
      const result = await store.settle(settlement, clock.now());
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

interface ShopCommunity {
  readonly id: CommunityId;
  readonly guildId: string | null;
  readonly ownerChannelId: string | null;
}

/** Where to find the communities, as their settings say now. */
interface ShopCommunities {
  /** The communities that a command in the guild is about, or in direct messages if it is null. */
  inGuild(guildId: string | null): readonly ShopCommunity[];
  ofGuild(guildId: string | null): ShopCommunity | undefined;
}

/** The roles of a shop are given in its own guild, so it is open there, and in direct messages if it is the only one. */
export function findShop(communities: ShopCommunities, guildId: string | null): ShopContext {
  const [first, ...others] = communities.inGuild(guildId);
  const only = guildId === null && others.length === 0 ? first : undefined;
  const community = only ?? communities.ofGuild(guildId) ?? communities.ofGuild(null);
  if (community === undefined) return { communityId: noCommunity, guildId, items: [], ownerChannelId: null };
  const { id: communityId, ownerChannelId } = community;
  return { communityId, guildId: community.guildId, items: shopItems.in(community), ownerChannelId };
}
