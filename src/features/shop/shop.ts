import type { Clock } from '@tallyhook/platform/clock';
import { isNotStored, messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { type CommunityId, noCommunity } from '../../core/ledger/account.ts';
import { directMessage, ownerReport } from '../../core/outbox/effect-kind.ts';
import type { NewEffect } from '../../core/outbox/outbox.ts';
import { type QueueName, queueName } from '../../core/outbox/queue.ts';
import type { RoleAccess } from '../roles/feature.ts';
import {
  type ConfirmResult,
  type ItemIssue,
  type ReportedItem,
  type Shop,
  type ShopContext,
  type ShopItem,
  shopItems,
  unreadyMessage,
  unreadyReport,
} from './purchase.ts';
import type { PurchaseStore } from './store.ts';

export function createShop(options: {
  /** The shop of the community that a command in this guild is about. */
  readonly shopIn: (guildId: string | null) => ShopContext;
  readonly store: PurchaseStore;
  /** The bot's access to the roles of a guild; null if Discord does not say in time. */
  readonly roleAccess: (guildId: string) => Promise<RoleAccess | null>;
  readonly reportUnready: ReportUnreadyItem;
  /** True if there is a handler for purchases; by default there is none. */
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

/**
 * The roles of a shop are given in its own guild, so it is open there, and in direct messages if it is the only one.
 */
export function findShop(communities: ShopCommunities, guildId: string | null): ShopContext {
  const [first, ...others] = communities.inGuild(guildId);
  const only = guildId === null && others.length === 0 ? first : undefined;
  const community = only ?? communities.ofGuild(guildId) ?? communities.ofGuild(null);
  if (community === undefined) return { communityId: noCommunity, guildId, items: [], ownerChannelId: null };
  const { id: communityId, ownerChannelId } = community;
  return { communityId, guildId: community.guildId, items: shopItems.in(community), ownerChannelId };
}

/** An item that nobody can get until the team has changed something. */
export interface UnreadyItem {
  readonly item: Pick<ShopItem, 'id' | 'name'>;
  readonly issue: ItemIssue;
  /** The role that it is about; null for none. */
  readonly role: string | null;
}

/** @param access what the bot may do with the roles of the guild; null if that is not known */
export function findUnreadyItems(
  { items, ownerChannelId }: Pick<ShopContext, 'items' | 'ownerChannelId'>,
  access: RoleAccess | null,
): readonly UnreadyItem[] {
  return items.flatMap((item) => {
    const { manual, role, needsRole } = item;
    // Nobody would know of a purchase that the team fulfils.
    if (manual && ownerChannelId === null) return [{ item, issue: 'no_channel' as const, role: null }];
    if (access === null) return [];
    if (needsRole !== null && !access.roles.has(needsRole)) {
      return [{ item, issue: 'role_deleted' as const, role: needsRole }];
    }
    const issue = role === null ? null : roleIssue(role, access);
    return issue === null ? [] : [{ item, issue, role }];
  });
}

/** Why the bot cannot give a role; null if it can. */
function roleIssue(role: string, { roles, moderating, mayManageRoles }: RoleAccess): ItemIssue | null {
  const state = roles.get(role);
  if (state === undefined) return 'role_deleted';
  if (state === 'managed') return 'role_managed';
  if (moderating.has(role)) return 'role_moderating';
  if (!mayManageRoles) return 'missing_permission';
  return state === 'above' ? 'role_too_high' : null;
}

/** Checks whether items of a shop depend on roles. */
function dependsOnRoles({ items }: Pick<ShopContext, 'items'>): boolean {
  return items.some(({ role, needsRole }) => role !== null || needsRole !== null);
}

/** Tells the team of an item that cannot be bought. Never rejects. */
type ReportUnreadyItem = (shop: ShopContext, unready: UnreadyItem, guildName: string | null) => Promise<void>;

/**
 * Reports each item and issue once, over all processes: in the channel for reports, or without one to the member who
 * last changed the settings of the guild.
 */
export function createUnreadyReports(options: {
  readonly enqueueReport: (key: string, effect: NewEffect) => Promise<void>;
  readonly lastAuthor: (guildId: string) => Promise<string | null>;
  readonly nudge: (queues: readonly QueueName[]) => void;
  readonly clock: Clock;
  readonly log: Log;
}): ReportUnreadyItem {
  const { enqueueReport, lastAuthor, nudge, clock, log } = options;
  const reported = new Set<string>();

  async function effectFor(
    { guildId, communityId, ownerChannelId }: ShopContext,
    report: ReportedItem,
  ): Promise<NewEffect | null> {
    const now = clock.now();
    if (ownerChannelId !== null) return ownerReport(communityId, ownerChannelId, unreadyReport, report, now);
    const userId = guildId === null ? null : await lastAuthor(guildId);
    return userId === null ? null : directMessage(communityId, userId, unreadyMessage, report, now);
  }

  return async (shop, { item, issue, role }, guildName) => {
    const { guildId } = shop;
    const key = `shop ${guildId ?? ''} ${item.id} ${issue}`;
    if (reported.has(key)) return;
    try {
      const effect = await effectFor(shop, { item: item.name, issue, role, guildName });
      if (effect !== null) {
        await enqueueReport(key, effect);
        nudge([effect.queue]);
      }
      reported.add(key);
      log.warn(
        { guild: guildId, item: item.id, issue },
        'an item of the shop cannot be bought until its setup is complete',
      );
    } catch (error) {
      log.warn(
        { guild: guildId, item: item.id, reason: messageOf(error) },
        'an item that cannot be bought could not be reported',
      );
    }
  };
}
