import type { Clock } from '@tallyhook/platform/clock';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { directMessage, ownerReport } from '../../core/outbox/effect-kind.ts';
import type { NewEffect } from '../../core/outbox/outbox.ts';
import type { QueueName } from '../../core/outbox/queue.ts';
import type { RoleAccess } from '../roles/feature.ts';
import { type ItemIssue, type ReportedItem, unreadyMessage, unreadyReport } from './effects.ts';
import type { ShopItem } from './item.ts';
import type { ShopContext } from './purchase.ts';

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

/** Whether items of a shop depend on roles. */
export function dependsOnRoles({ items }: Pick<ShopContext, 'items'>): boolean {
  return items.some(({ role, needsRole }) => role !== null || needsRole !== null);
}

/** Tells the team of an item that cannot be bought. Never rejects. */
export type ReportUnreadyItem = (shop: ShopContext, unready: UnreadyItem, guildName: string | null) => Promise<void>;

/**
 * Reports each item and issue once, over all processes: in the channel for reports, or without one to the member who last
 * changed the settings of the guild.
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
