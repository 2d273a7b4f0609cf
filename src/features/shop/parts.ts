import { isNotStored, messageOf } from '@tallyhook/platform/errors';
import { bold, escapeName, joined, lines, type Markup, mention } from '@tallyhook/platform/texts/markup';
import { type Html, html } from '@tallyhook/platform/web/html';
import { dateTime } from '@tallyhook/platform/web/time-element';
import { type CommunityId, noCommunity } from '../../core/ledger/account.ts';
import { directMessage, type NewEffect, ownerReport } from '../../core/outbox/effect-kind.ts';
import type { HandlerKind } from '../../core/outbox/handler-events.ts';
import type { Outbox } from '../../core/outbox/outbox.ts';
import { queueName } from '../../core/outbox/queue.ts';
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
import { explainRoleIssue, type RoleAccess, roleIssue } from '../roles/feature.ts';
import {
  type ClosedPurchase,
  closedReport,
  fulfilledMessage,
  type ItemIssue,
  type PurchasedItem,
  priceText,
  purchaseReport,
  type ReportedItem,
  type ReportedPurchase,
  refundedMessage,
  refundedReport,
  type Settlement,
  type ShopContext,
  type ShopMember,
  type ShopVisitor,
  shopItems,
  type UnreadyItem,
  unreadyMessage,
  unreadyReport,
} from './purchase.ts';
import type { Offer, PurchaseResult, PurchaseStore, StoredPurchase } from './store.ts';

export function shopCard(shop: Pick<PurchaseStore, 'summary'>): ConsoleCard {
  return {
    id: 'orders',
    title: ({ text }) => text('console.orders'),
    page: 'orders',
    isScoped: true,
    async render({ memberLinks, form, text: foreign, markup, scope, texts }) {
      const { newest, waiting } = await shop.summary(scope?.guildId ?? null);
      const { number, text } = texts;

      if (newest.length === 0) return html`<p class="quiet">${text('console.noOrders')}</p>`;
      const memberLink = await memberLinks(newest.map(({ userId }) => userId));
      return html`<dl class="sums"><div><dt>${text('console.ordersWaiting')}</dt><dd>${number(waiting)}</dd></div></dl>
<table><thead><tr><th scope="col">${text('console.labels.time')}</th><th scope="col">${text('console.labels.item')}</th><th scope="col">${text('console.labels.member')}</th><th scope="col" class="number">${text('credits.title')}</th><th scope="col">${text('console.labels.state')}</th></tr></thead>
<tbody>${newest.map(
        (
          purchase,
        ) => html`<tr><td data-name="${text('console.labels.time')}">${dateTime(purchase.at, texts)}</td><td data-name="${text('console.labels.item')}">${foreign(purchase.name)}</td>
<td data-name="${text('console.labels.member')}" class="unbroken">${memberLink(purchase.userId)}</td><td data-name="${text('credits.title')}" class="number unbroken">${markup(text('parts.credits', { count: purchase.price }))}</td>
<td data-name="${text('console.labels.state')}">${stateBadge(purchase, texts)}${scope !== null && waitsForTeam(purchase) && form(`orders/${purchase.id}/done`, text('shop.done'))}</td></tr>`,
      )}</tbody></table>`;
    },
  };
}

function waitsForTeam({ state, role }: Pick<StoredPurchase, 'state' | 'role'>): boolean {
  return state === 'confirmed' && role === null;
}

/** A confirmed role waits for Discord, and any other confirmed item for the owner. */
function stateBadge({ state, role }: Pick<StoredPurchase, 'state' | 'role'>, { text }: Texts): Html {
  if (state === 'fulfilled') return html`<span class="mark good">${text('shop.history.states.fulfilled')}</span>`;
  if (state === 'refunded') return html`<span class="mark">${text('shop.history.states.refunded')}</span>`;
  return html`<span class="mark busy">${role === null ? text('shop.history.states.confirmed') : text('shop.history.rolePending')}</span>`;
}

type PurchaseReport =
  | (ReportedPurchase & { readonly type: 'purchase' | 'purchaseRefunded' })
  | (ClosedPurchase & { readonly type: 'purchaseClosed' });

/** Who bought what, and for whom. */
export function reportText(
  { userId, receiverId, name, price }: Pick<StoredPurchase, 'userId' | 'receiverId' | 'name' | 'price'>,
  texts: Texts,
): Markup {
  const bought = { user: mention(userId), name: escapeName(name), price: priceText(price, texts) };
  return receiverId === null
    ? texts.text('shop.report.text', bought)
    : texts.text('shop.report.given', { ...bought, receiver: mention(receiverId) });
}

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
  const text = reportText({ ...purchase, name: item }, texts);
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
    text: lines(text('shop.report.unready', { name: escapeName(item) }), ...explainIssue(issue, role ?? '', texts)),
  };
}

/** Why nobody can get an item, and what to do. @param role that it is about (Discord ID); empty for none */
export function explainIssue(issue: ItemIssue, role: string, texts: Texts): readonly Markup[] {
  const { text } = texts;
  switch (issue) {
    case 'no_channel':
      return [
        joined([bold(text('setup.names.ownerChannelId')), text('setup.values.none')], ': '),
        escapeName(text('setup.hints.ownerChannel')),
      ];
    case 'no_codes':
    case 'ended':
      return [text(`shop.issues.${issue}`)];
    default:
      return explainRoleIssue(issue, role, texts);
  }
}

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

interface ShopServices extends Pick<ServicesContext, 'nudge' | 'clock' | 'log'> {
  readonly directory: ShopCommunities;
  readonly store: {
    readonly shop: PurchaseStore;
    readonly outbox: Pick<Outbox, 'enqueueReport'>;
    readonly communities: { lastAuthor(guildId: string): Promise<string | null> };
  };
  /** Null if Discord does not say in time. */
  readonly reusedRoleAccess: (guildId: string) => Promise<RoleAccess | null>;
  readonly isHandled: (kind: HandlerKind) => boolean;
}

export function createServices(context: ServicesContext & ShopServices) {
  const purchases = context.metrics.counter({
    name: 'tallyhook_purchases_total',
    help: 'Confirmed purchases of the shop, by result; also those that a manager fulfilled or refunded.',
    labels: ['result'],
  });
  const shop = new Shop(context, (result) => purchases.inc({ result }));
  return {
    shared: { unreadyItems: (guildId: string) => shop.unreadyItems(guildId) },
    commands: { shop },
    cards: [shopCard(context.store.shop)],
  } satisfies FeatureServices;
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

/** `unavailable`: the purchase cannot be stored at the moment, and nothing was charged. It may be confirmed again. */
type ConfirmResult = PurchaseResult | { readonly outcome: 'unavailable' };

/** The shop of the community in which a command is used. All methods reject with the errors of the store. */
export class Shop {
  readonly #context: ShopServices;
  readonly #store: PurchaseStore;
  /** Gets `sold`, `repeated`, `fulfilled`, `refunded`, or why nothing was sold: a rejection, `unavailable`. */
  readonly #onPurchase: (result: string) => void;
  readonly #reportUnready: ReturnType<typeof createUnreadyReports>;

  constructor(context: ShopServices, onPurchase: (result: string) => void) {
    this.#context = context;
    this.#store = context.store.shop;
    this.#onPurchase = onPurchase;
    this.#reportUnready = createUnreadyReports(context);
  }

  /**
   * The items for a member, with the member's balance (credits): also those that are not offered now.
   * @param receiver to whom they would be given; by default the member gets them
   */
  async offers({ userId, guildId, roles }: ShopVisitor, receiver: ShopMember | null = null) {
    const { report: reportUnready, ...shop } = await this.#open(guildId);
    const found = await this.#store.offers(shop, { userId, roles: roles ?? [] }, this.#context.clock.now(), receiver);
    await reportUnready(usedUpItems(found.offers));
    return found;
  }

  /** Items that nobody can buy in the shop of a guild until the team has changed something. */
  async unreadyItems(guildId: string): Promise<readonly UnreadyItem[]> {
    const shop = this.#find(guildId);
    const now = this.#context.clock.now();
    // No member: of the offers only the codes matter.
    const { offers } = await this.#store.offers(shop, { userId: '0', roles: [] }, now);
    return [...findUnreadyItems(shop, await this.#accessIn(shop)), ...endedItems(shop, now), ...usedUpItems(offers)];
  }

  /**
   * Buys an item, once per confirmation.
   * @param confirmation `price` that the member saw (credits); `confirmationId` of the interaction that showed it;
   *   `receiverId` to whom it is given, null for the member
   */
  async confirm(
    { userId, guildId, roles }: ShopVisitor,
    {
      itemId,
      price,
      confirmationId,
      receiverId = null,
    }: Readonly<Record<'itemId' | 'confirmationId', string>> & {
      readonly price: number;
      readonly receiverId?: string | null;
    },
  ): Promise<ConfirmResult> {
    const { isHandled, clock, log } = this.#context;
    const shop = await this.#open(guildId);
    const item = shop.items.find(({ id }) => id === itemId) ?? null;
    // The roles of a receiver were checked when the receiver was chosen; those that were bought are checked again.
    const receiver = receiverId === null ? null : { userId: receiverId, roles: [] };
    const order = { confirmationId, member: { userId, roles: roles ?? [] }, receiver, item, confirmedPrice: price };
    const { communityId, ownerChannelId } = shop;
    const isReady = !shop.unready.has(itemId);
    const result = await this.#store
      .purchase(
        { ...order, communityId, guildId: shop.guildId, ownerChannelId, isReady, isHandled: isHandled('purchase') },
        clock.now(),
      )
      .catch((error: unknown) => {
        if (!isNotStored(error)) throw error;
        log.error({ item: itemId, code: error.code, hint: error.hint }, 'a purchase could not be stored');
        return { outcome: 'unavailable' } as const;
      });
    this.#report(result, shop);
    return result;
  }

  /** A member's newest purchases, newest first. */
  purchasesOf({ userId, guildId }: Pick<ShopVisitor, 'userId' | 'guildId'>, limit: number) {
    return this.#store.purchasesOf(userId, this.#find(guildId).communityId, limit);
  }

  /**
   * Fulfils or refunds a reported purchase, once. Null if it was not reported in this channel.
   * @param settlement `manager` is a user id
   */
  async settle({ manager, ...settlement }: Settlement & { readonly manager: string }) {
    const { clock, log, nudge } = this.#context;
    const result = await this.#store.settle(settlement, clock.now());
    if (result?.settled) {
      const { id, userId, state } = result.purchase;
      this.#onPurchase(state);
      log.info({ purchase: id, user: userId, state, author: manager }, 'a manager settled a purchase');
      nudge(result.queues);
    }
    return result;
  }

  #find(guildId: string | null): ShopContext {
    return findShop(this.#context.directory, guildId);
  }

  async #accessIn(shop: ShopContext): Promise<RoleAccess | null> {
    return shop.guildId !== null && dependsOnRoles(shop) ? this.#context.reusedRoleAccess(shop.guildId) : null;
  }

  /** The shop with what cannot be bought, which is reported to the team. */
  async #open(guildId: string | null) {
    const shop = this.#find(guildId);
    const access = await this.#accessIn(shop);
    const unready = findUnreadyItems(shop, access);
    const report = async (all: readonly UnreadyItem[]) => {
      for (const each of all) await this.#reportUnready(shop, each, access?.guildName ?? null);
    };
    await report([...unready, ...endedItems(shop, this.#context.clock.now())]);
    return { ...shop, unready: new Set(unready.map(({ item }) => item.id)), report };
  }

  /** Never the code. */
  #report(result: ConfirmResult, { communityId, guildId, ownerChannelId }: ShopContext): void {
    this.#onPurchase(resultName(result));
    if (result.outcome !== 'purchased' || result.repeated) return;
    const { log, nudge } = this.#context;
    const { id, userId, item, price, balance } = result.purchase;
    log.info({ purchase: id, user: userId, item, price, balance }, 'an item of the shop was sold');
    const roles = guildId === null ? [] : [queueName('roles', communityId, guildId)];
    const reports = ownerChannelId === null ? [] : [queueName('channel', communityId, ownerChannelId)];
    nudge([...roles, queueName('handler', communityId, 'purchase'), ...reports]);
  }
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

/** @param access what the bot may do with the roles of the guild; null if that is not known */
export function findUnreadyItems(
  { items, ownerChannelId }: Pick<ShopContext, 'items' | 'ownerChannelId'>,
  access: RoleAccess | null,
): readonly UnreadyItem[] {
  return items.flatMap((item): readonly UnreadyItem[] => {
    const { manual, role, needsRole } = item;
    // Nobody would know of a purchase that the team fulfils.
    if (manual && ownerChannelId === null) return [{ item, issue: 'no_channel', role: null, version: 0 }];
    if (access === null) return [];
    if (needsRole !== null && !access.roles.has(needsRole)) {
      return [{ item, issue: 'role_deleted', role: needsRole, version: 0 }];
    }
    const issue = role === null ? null : roleIssue(role, access);
    return issue === null ? [] : [{ item, issue, role, version: 0 }];
  });
}

/** Members do not see them any more. */
function endedItems({ items }: Pick<ShopContext, 'items'>, now: number): readonly UnreadyItem[] {
  return items.flatMap(({ id, name, until }) =>
    until !== null && until <= now ? [{ item: { id, name }, issue: 'ended', role: null, version: until }] : [],
  );
}

function usedUpItems(offers: readonly Pick<Offer, 'item' | 'isUsedUp'>[]): readonly UnreadyItem[] {
  return offers.flatMap(({ item, isUsedUp }) =>
    isUsedUp ? [{ item, issue: 'no_codes', role: null, version: item.codeCount ?? 0 }] : [],
  );
}

function dependsOnRoles({ items }: Pick<ShopContext, 'items'>): boolean {
  return items.some(({ role, needsRole }) => role !== null || needsRole !== null);
}

/**
 * Reports each item that cannot be bought and its issue to the team once, over all processes: in the channel for reports,
 * or without one to the member who last changed the settings of the guild. Never rejects.
 */
export function createUnreadyReports({
  store,
  nudge,
  clock,
  log,
}: Pick<ShopServices, 'nudge' | 'clock' | 'log'> & {
  readonly store: Pick<ShopServices['store'], 'outbox' | 'communities'>;
}) {
  const reported = new Set<string>();

  async function effectFor(
    { guildId, communityId, ownerChannelId }: ShopContext,
    report: ReportedItem,
  ): Promise<NewEffect | null> {
    const now = clock.now();
    if (ownerChannelId !== null) return ownerReport(communityId, ownerChannelId, unreadyReport, report, now);
    const userId = guildId === null ? null : await store.communities.lastAuthor(guildId);
    return userId === null ? null : directMessage(communityId, userId, unreadyMessage, report, now);
  }

  return async (
    shop: ShopContext,
    { item, issue, role, version }: UnreadyItem,
    guildName: string | null,
  ): Promise<void> => {
    const { guildId } = shop;
    const key = `shop ${guildId ?? ''} ${item.id} ${issue}${version === 0 ? '' : ` ${version}`}`;
    if (reported.has(key)) return;
    try {
      const effect = await effectFor(shop, { item: item.name, issue, role, guildName });
      if (effect !== null) {
        await store.outbox.enqueueReport(key, effect);
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
