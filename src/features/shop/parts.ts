import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { isNotStored, messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { bold, escapeName, joined, lines, type Markup, mention, roleMention } from '@tallyhook/platform/texts/markup';
import { type Html, html } from '@tallyhook/platform/web/html';
import { dateTime } from '@tallyhook/platform/web/time-element';
import { type CommunityId, noCommunity } from '../../core/ledger/account.ts';
import { directMessage, type NewEffect, ownerReport } from '../../core/outbox/effect-kind.ts';
import type { HandlerKind } from '../../core/outbox/handler-events.ts';
import type { Outbox } from '../../core/outbox/outbox.ts';
import { type QueueName, queueName } from '../../core/outbox/queue.ts';
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
  type ConfirmResult,
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
  type Shop,
  type ShopContext,
  type ShopItem,
  shopItems,
  unreadyMessage,
  unreadyReport,
} from './purchase.ts';
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
