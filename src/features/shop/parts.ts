import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { bold, escapeName, joined, lines, type Markup, mention, roleMention } from '@tallyhook/platform/texts/markup';
import { type Html, html } from '@tallyhook/platform/web/html';
import { dateTime } from '@tallyhook/platform/web/time-element';
import type { HandlerKind } from '../../core/outbox/handler-events.ts';
import type { Outbox } from '../../core/outbox/outbox.ts';
import type { Reply, ReplyButton } from '../../discord/commands/reply.ts';
import type { Texts } from '../../texts/texts.ts';
import {
  type ConsoleCard,
  type FeatureParts,
  type FeatureServices,
  renderReport,
  type ServicesContext,
  sendMessage,
} from '../parts.ts';
import type { RoleAccess } from '../roles/feature.ts';
import {
  type ClosedPurchase,
  closedReport,
  fulfilledMessage,
  type ItemIssue,
  type PurchasedItem,
  type PurchaseRecord,
  priceText,
  purchaseReport,
  type ReportedItem,
  type ReportedPurchase,
  refundedMessage,
  refundedReport,
  unreadyMessage,
  unreadyReport,
} from './purchase.ts';
import { createShop, createUnreadyReports, findShop } from './shop.ts';
import type { PurchaseStore } from './store.ts';

/** The newest purchases, and how many wait for the owner. */
export function shopCard(shop: Pick<PurchaseStore, 'summary'>): ConsoleCard {
  return {
    id: 'orders',
    title: ({ text }) => text('console.orders'),
    isScoped: true,
    async render({ memberLink, text: foreign, markup, scope, texts }) {
      const { newest, waiting } = await shop.summary(scope?.guildId ?? null);
      const { locale, number, text } = texts;

      if (newest.length === 0) return html`<p class="quiet">${text('console.noOrders')}</p>`;
      return html`<dl class="sums"><div><dt>${text('console.ordersWaiting')}</dt><dd>${number(waiting)}</dd></div></dl>
<table><thead><tr><th scope="col">${text('console.labels.time')}</th><th scope="col">${text('console.labels.item')}</th><th scope="col">${text('console.labels.member')}</th><th scope="col" class="number">${text('credits.title')}</th><th scope="col">${text('console.labels.state')}</th></tr></thead>
<tbody>${newest.map(
        (
          purchase,
        ) => html`<tr><td data-name="${text('console.labels.time')}">${dateTime(purchase.at, locale)}</td><td data-name="${text('console.labels.item')}">${foreign(purchase.name)}</td>
<td data-name="${text('console.labels.member')}" class="unbroken">${memberLink(purchase.userId)}</td><td data-name="${text('credits.title')}" class="number unbroken">${markup(text('parts.credits', { count: purchase.price }))}</td>
<td data-name="${text('console.labels.state')}">${stateBadge(purchase, texts)}</td></tr>`,
      )}</tbody></table>`;
    },
  };
}

/** A confirmed role waits for Discord, and any other confirmed item for the owner. */
function stateBadge({ state, role }: PurchaseRecord, { text }: Texts): Html {
  if (state === 'fulfilled') return html`<span class="mark good">${text('shop.history.states.fulfilled')}</span>`;
  if (state === 'refunded') return html`<span class="mark">${text('shop.history.states.refunded')}</span>`;
  return html`<span class="mark busy">${role === null ? text('shop.history.states.confirmed') : text('shop.history.rolePending')}</span>`;
}

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
