import type { OwnerReportContent } from '../../core/outbox/effect-contents.ts';
import type { HandlerKind } from '../../core/outbox/handler-events.ts';
import type { Outbox } from '../../core/outbox/outbox.ts';
import type { Reply, ReplyButton } from '../../discord/commands/reply.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import type { Clock } from '../../platform/clock.ts';
import { second } from '../../platform/durations.ts';
import { bold, escapeName, joined, lines, type Markup, mention, roleMention } from '../../texts/markup.ts';
import type { Texts } from '../../texts/texts.ts';
import type { FeatureParts, FeatureServices, ServicesContext } from '../parts.ts';
import type { RoleAccess } from '../roles/feature.ts';
import { shopCard } from './card.ts';
import type { ItemIssue, PurchasedItem, ReportedItem } from './effects.ts';
import { createUnreadyReports } from './item-issues.ts';
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

/** Tells the team that nobody can buy an item, why, and what to do. */
export function renderUnreadyItem({ item, issue, role, guildName }: ReportedItem, texts: Texts): Reply {
  const { report } = texts.shop;
  return {
    tone: 'bad',
    title: guildName === null ? report.unreadyTitle : joined([report.unreadyTitle, escapeName(guildName)], ' · '),
    text: lines(report.unready(escapeName(item)), ...explainIssue(issue, roleMention(role ?? ''), texts)),
  };
}

function explainIssue(issue: ItemIssue, role: Markup, { setup }: Texts): readonly Markup[] {
  const { problems, names, hints, values } = setup;
  switch (issue) {
    case 'no_channel':
      return [joined([bold(names.ownerChannelId), values.none], ': '), escapeName(hints.ownerChannel)];
    case 'role_deleted':
      return [problems.unknownRole, problems.unknownRoleHint];
    case 'role_managed':
      return [problems.managedRole(role), problems.managedRoleHint];
    case 'role_moderating':
      return [problems.moderatingRole(role), problems.moderatingRoleHint];
    case 'role_too_high':
      return [problems.roleAbove(role), problems.roleAboveHint(role)];
    case 'missing_permission':
      return [problems.manageRoles, problems.manageRolesHint];
  }
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
    readonly store: {
      readonly shop: PurchaseStore;
      readonly outbox: Pick<Outbox, 'enqueueReport'>;
      readonly communities: { lastAuthor(guildId: string): Promise<string | null> };
    };
    readonly roleAccess: (guildId: string) => Promise<RoleAccess | null>;
    readonly isHandled: (kind: HandlerKind) => boolean;
  },
) {
  const { store, directory, isHandled, metrics, stopwatch } = context;
  const purchases = metrics.counter({
    name: 'tallyhook_purchases_total',
    help: 'Confirmed purchases of the shop, by result; also those that a manager fulfilled or refunded.',
    labels: ['result'],
  });
  const shop = createShop({
    ...context,
    shopIn: (guildId) => findShop(directory, guildId),
    store: store.shop,
    roleAccess: reuseRoleAccess(context.roleAccess, stopwatch),
    reportUnready: createUnreadyReports({
      ...context,
      enqueueReport: store.outbox.enqueueReport,
      lastAuthor: store.communities.lastAuthor,
    }),
    isHandled: () => isHandled('purchase'),
    onPurchase: (result) => purchases.inc({ result }),
  });
  return { commands: { shop }, cards: [shopCard(store.shop)] } satisfies FeatureServices;
}

/** How long what Discord says of the roles of a guild is reused (ms). */
const maxRoleAgeMs = 5 * second;
/** Guilds whose roles are known. */
const maxGuilds = 10_000;

/** Requests the roles of a guild at most once in that time, however many members open its shop. */
function reuseRoleAccess<Access>(read: (guildId: string) => Promise<Access>, clock: Pick<Clock, 'monotonic'>) {
  const readings = new BoundedMap<{ readonly at: number; readonly result: Promise<Access> }>(maxGuilds);
  return (guildId: string): Promise<Access> => {
    const last = readings.get(guildId);
    if (last !== undefined && clock.monotonic() - last.at < maxRoleAgeMs) return last.result;
    const result = read(guildId);
    readings.set(guildId, { at: clock.monotonic(), result });
    return result;
  };
}

export function create() {
  const message = (result: 'fulfilled' | 'refunded') => ({
    render: async (item: PurchasedItem, texts: Texts) => renderPurchaseMessage(result, item, texts),
  });
  return {
    directMessages: {
      purchaseFulfilled: message('fulfilled'),
      purchaseRefunded: message('refunded'),
      itemUnready: { render: async (item: ReportedItem, texts: Texts) => renderUnreadyItem(item, texts) },
    },
    ownerReports: {
      purchase: renderPurchaseReport,
      purchaseRefunded: renderPurchaseReport,
      purchaseClosed: renderPurchaseReport,
      itemUnready: renderUnreadyItem,
    },
  } satisfies FeatureParts;
}
