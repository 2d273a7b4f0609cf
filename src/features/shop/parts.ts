import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { bold, escapeName, joined, lines, type Markup, mention, roleMention } from '@tallyhook/platform/texts/markup';
import type { HandlerKind } from '../../core/outbox/handler-events.ts';
import type { Outbox } from '../../core/outbox/outbox.ts';
import type { Reply, ReplyButton } from '../../discord/commands/reply.ts';
import type { Texts } from '../../texts/texts.ts';
import { type FeatureParts, type FeatureServices, renderReport, type ServicesContext, sendMessage } from '../parts.ts';
import type { RoleAccess } from '../roles/feature.ts';
import { shopCard } from './card.ts';
import {
  type ClosedPurchase,
  closedReport,
  fulfilledMessage,
  type ItemIssue,
  type PurchasedItem,
  purchaseReport,
  type ReportedItem,
  type ReportedPurchase,
  refundedMessage,
  refundedReport,
  unreadyMessage,
  unreadyReport,
} from './effects.ts';
import { createUnreadyReports } from './item-issues.ts';
import { priceText } from './price-text.ts';
import { createShop, findShop } from './shop.ts';
import type { PurchaseStore } from './store.ts';

type PurchaseReport =
  | (ReportedPurchase & { readonly type: 'purchase' | 'purchaseRefunded' })
  | (ClosedPurchase & { readonly type: 'purchaseClosed' });

/** The report of a purchase in the owner's channel, with buttons for managers if the owner has to fulfil it. */
export function renderPurchaseReport(purchase: PurchaseReport, texts: Texts): Reply {
  const { type, purchaseId, item, price } = purchase;
  if (type === 'purchaseClosed') {
    return {
      tone: 'wait',
      title: texts.text('shop.report.title', { id: purchaseId }),
      text: texts.text('shop.report.closed', { name: escapeName(item), price: priceText(price, texts) }),
    };
  }
  const { userId } = purchase;
  const text = texts.text('shop.report.text', {
    user: mention(userId),
    name: escapeName(item),
    price: priceText(price, texts),
  });
  const title = texts.text('shop.report.title', { id: purchaseId });
  if (type === 'purchaseRefunded')
    return { tone: 'bad', title, text: lines(text, texts.text('shop.report.refundedRole')) };
  const target = { kind: 'action', command: 'shop', options: { purchase: purchaseId } } as const;
  const buttons: ReplyButton[] = [
    { ...target, action: 'done', label: texts.text('shop.done'), style: 'success' },
    { ...target, action: 'refund', label: texts.text('shop.refund'), style: 'danger' },
  ];
  return { tone: 'plain', title, text: lines(text, texts.text('shop.report.todo')), buttons };
}

/** Tells the team that nobody can buy an item, why, and what to do. */
export function renderUnreadyItem({ item, issue, role, guildName }: ReportedItem, texts: Texts): Reply {
  const { text } = texts;
  return {
    tone: 'bad',
    title:
      guildName === null
        ? text('shop.report.unreadyTitle')
        : joined([text('shop.report.unreadyTitle'), escapeName(guildName)], ' · '),
    text: lines(
      text('shop.report.unready', { name: escapeName(item) }),
      ...explainIssue(issue, roleMention(role ?? ''), texts),
    ),
  };
}

function explainIssue(issue: ItemIssue, role: Markup, { text }: Texts): readonly Markup[] {
  switch (issue) {
    case 'no_channel':
      return [
        joined([bold(text('setup.names.ownerChannelId')), text('setup.values.none')], ': '),
        escapeName(text('setup.hints.ownerChannel')),
      ];
    case 'role_deleted':
      return [text('setup.problems.unknownRole'), text('setup.problems.unknownRoleHint')];
    case 'role_managed':
      return [text('setup.problems.managedRole', { role }), text('setup.problems.managedRoleHint')];
    case 'role_moderating':
      return [text('setup.problems.moderatingRole', { role }), text('setup.problems.moderatingRoleHint')];
    case 'role_too_high':
      return [text('setup.problems.roleAbove', { role }), text('setup.problems.roleAboveHint', { role })];
    case 'missing_permission':
      return [text('setup.problems.manageRoles'), text('setup.problems.manageRolesHint')];
  }
}

/** The direct message to the buyer about what became of a purchase. */
export function renderPurchaseMessage(
  result: 'fulfilled' | 'refunded',
  { item, price }: PurchasedItem,
  texts: Texts,
): Reply {
  const { text } = texts;

  const name = escapeName(item);
  return result === 'fulfilled'
    ? { tone: 'good', title: text('shop.message.fulfilledTitle'), text: text('shop.message.fulfilled', { name }) }
    : {
        tone: 'wait',
        title: text('shop.message.refundedTitle'),
        text: text('shop.message.refunded', { name, price: priceText(price, texts) }),
      };
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
    directMessages: [
      sendMessage(fulfilledMessage, message('fulfilled')),
      sendMessage(refundedMessage, message('refunded')),
      sendMessage(unreadyMessage, { render: async (item, texts) => renderUnreadyItem(item, texts) }),
    ],
    ownerReports: [
      renderReport(purchaseReport, renderPurchaseReport),
      renderReport(refundedReport, renderPurchaseReport),
      renderReport(closedReport, renderPurchaseReport),
      renderReport(unreadyReport, renderUnreadyItem),
    ],
  } satisfies FeatureParts;
}
