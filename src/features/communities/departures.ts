import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '@tallyhook/platform/clock';
import { day, hour, minute } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { createLoop, type Loop } from '@tallyhook/platform/loop';
import { type CommunityId, noCommunity } from '../../core/ledger/account.ts';
import { directMessage, type NewEffect } from '../../core/outbox/effect-kind.ts';
import type { QueueName } from '../../core/outbox/queue.ts';
import type { GuildDataStore, GuildRows, ScannedRows } from '../../core/store/guild-data.ts';
import { rowsPerWrite } from '../../core/store/sql-module.ts';
import type { FindCommunityId } from './community-ids.ts';
import { type DepartureNotice, departureMessage } from './feature.ts';
import { byTallyhook, type GuildState, type GuildStore } from './store.ts';

/** How long the settings and the data of a parked community are kept. */
export const keepParkedMs = 30 * day;

function departureNotice(
  userId: string,
  communityId: CommunityId,
  notice: Pick<DepartureNotice, 'guildId' | 'listing' | 'parkedAt' | 'notices'>,
  createdAt: number,
): NewEffect {
  const message = { ...notice, deletedAt: notice.parkedAt + keepParkedMs };
  return directMessage(communityId, userId, departureMessage, message, createdAt);
}

/** True if a notice is still true and the newest one. Rejects with the errors of the store and of Discord. */
export async function isNoticeWanted(
  { guildId, parkedAt, deletedAt, notices }: DepartureNotice,
  options: {
    readonly guilds: Pick<GuildStore, 'find'>;
    readonly isMember: (guildId: string) => Promise<boolean>;
    readonly now: number;
  },
): Promise<boolean> {
  const guild = await options.guilds.find(guildId);
  if (guild?.parkedAt !== parkedAt || guild.parkedBy !== byTallyhook || guild.notices !== notices) return false;
  return options.now < deletedAt && !(await options.isMember(guildId));
}

const checkEveryMs = hour;
/** A guild is missing if two checks in a row did not find it; other processes may check at the same time. */
const minMissingMs = 30 * minute;
/** How long before the deletion notices are given (ms), the earliest first. */
const noticesBeforeMs = [7 * day, day];

interface DepartureOptions {
  readonly guilds: GuildStore;
  readonly guildData: GuildDataStore;
  readonly listGuilds: () => Promise<ReadonlySet<string>>;
  /** True if the bot is in a guild; rejects if Discord does not say. */
  readonly isMember: (guildId: string) => Promise<boolean>;
  /** Guilds of the operator's own listings, which are never parked. */
  readonly isOperators: (guildId: string) => boolean;
  readonly communityIdOf: FindCommunityId;
  readonly listingOf: (guildId: string) => string | null;
  readonly onEnqueued: (queue: QueueName) => void;
  readonly apply: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Parks communities that have removed the bot, and deletes their settings and data 30 days later. */
export class Departures {
  readonly #options: DepartureOptions;
  readonly loop: Loop;

  constructor(options: DepartureOptions) {
    const { clock, log } = options;
    this.#options = options;
    this.loop = createLoop({
      round: (signal) => this.check(signal),
      pauseMs: checkEveryMs,
      onError: (error) => log.info({ reason: messageOf(error) }, 'the guilds of the bot could not be compared'),
      clock,
    });
  }

  async #checkGuild(guild: GuildState, isPresent: boolean): Promise<boolean> {
    const { guildId, missingSince, parkedAt, parkedBy } = guild;
    const now = this.#options.clock.now();
    if (isPresent) {
      if (parkedAt !== null && parkedBy === byTallyhook) {
        await this.#options.guilds.setParked(guildId, null);
        this.#options.log.info(
          { guild: guildId },
          'the bot was added again: the settings of the community are in use again',
        );
        return true;
      }
      if (missingSince !== null) await this.#options.guilds.setMissing(guildId, null);
      return false;
    }
    if (parkedAt !== null || this.#options.isOperators(guildId)) return false;
    if (missingSince === null) {
      await this.#options.guilds.setMissing(guildId, now);
      return false;
    }
    if (now - missingSince < minMissingMs || (await this.#options.isMember(guildId))) return false;
    const message = await this.#messageFor(guildId, now, 0);
    if (!(await this.#options.guilds.setParked(guildId, { at: now, by: byTallyhook }, message))) return true;
    if (message !== null) this.#options.onEnqueued(message.queue);
    const fields = { guild: guildId, deletedAt: new Date(now + keepParkedMs).toISOString() };
    this.#options.log.warn(fields, 'the bot was removed: the community is parked, and its data will be deleted');
    return true;
  }

  async #messageFor(guildId: string, parkedAt: number, notices: number): Promise<NewEffect | null> {
    const authorId = await this.#options.guilds.lastAuthor(guildId);
    if (authorId === null) return null;
    const notice = { guildId, listing: this.#options.listingOf(guildId), parkedAt, notices };
    return departureNotice(
      authorId,
      this.#options.communityIdOf(guildId) ?? noCommunity,
      notice,
      this.#options.clock.now(),
    );
  }

  /** Says that a community will be deleted soon; each notice once, over all processes. */
  async #giveNotice({ guildId, parkedAt, parkedBy, changedAt, notices }: GuildState): Promise<void> {
    if (parkedAt === null || changedAt === null) return;
    const deletedAt = parkedAt + keepParkedMs;
    const due = noticesBeforeMs.filter((before) => this.#options.clock.now() >= deletedAt - before).length;
    if (due <= notices) return;
    // One that the operator has parked cannot be kept by adding the bot again.
    const message = parkedBy === byTallyhook ? await this.#messageFor(guildId, parkedAt, due) : null;
    if (!(await this.#options.guilds.noteNotice(guildId, due, message))) return;
    if (message !== null) this.#options.onEnqueued(message.queue);
    const fields = { guild: guildId, deletedAt: new Date(deletedAt).toISOString() };
    this.#options.log.warn(fields, 'the settings and the data of a parked community will be deleted soon');
  }

  async #deleteExpired(all: readonly GuildState[], signal: AbortSignal): Promise<boolean> {
    const expired = all.filter(
      ({ parkedAt, changedAt }) => changedAt !== null && isExpired(parkedAt, this.#options.clock.now()),
    );
    for (const { guildId } of expired) {
      // The bot may have returned since the list was read.
      if (!isExpired((await this.#options.guilds.find(guildId))?.parkedAt ?? null, this.#options.clock.now())) continue;
      // At the next check, no process receives its votes any more.
      if (!this.#options.isOperators(guildId) && (await this.#options.guilds.deleteWebhookSecrets(guildId))) continue;
      if (!this.#options.isOperators(guildId)) await deleteGuildData(this.#options.guildData, guildId, signal);
      while (!signal.aborted && (await this.#options.guilds.deleteSettings(guildId)));
      this.#options.log.warn({ guild: guildId }, 'the settings and the data of a parked community were deleted');
    }
    return expired.length > 0;
  }

  /** Checks once. Rejects if Discord or the store fails; that counts as nothing. */
  async check(signal: AbortSignal = new AbortController().signal): Promise<void> {
    const present = await this.#options.listGuilds();
    const all = await this.#options.guilds.list();
    let hasChanged = false;
    for (const guild of all) {
      if (signal.aborted) return;
      if (await this.#checkGuild(guild, present.has(guild.guildId))) hasChanged = true;
      else await this.#giveNotice(guild);
    }
    if ((await this.#deleteExpired(all, signal)) || hasChanged) await this.#options.apply();
  }
}

function isExpired(parkedAt: number | null, now: number): boolean {
  return parkedAt !== null && now - parkedAt >= keepParkedMs;
}

const noRows: GuildRows = { deliveries: [], effects: [], orders: [], listings: [] };

/**
 * Deletes the accounts of a community and all else that is stored of the listings that it has linked, except the keys
 * of recorded events. In many small transactions, so that a vote for another community does not wait; after an
 * interruption it can be repeated. The community of the operator's listings keeps everything. A vote that is received
 * meanwhile can leave an account: to be called after its webhook secrets were deleted, and before its settings are,
 * which have the names of the listings. Ends early after `signal`. Rejects with the errors of the store.
 */
export async function deleteGuildData(store: GuildDataStore, guildId: string, signal: AbortSignal): Promise<void> {
  const ended = await store.ended(guildId);
  if (ended === null) return;
  const communityId = ended;
  const listings = await store.listings(guildId);

  await deleteAccounts();
  for (let at: number | null = 0; at !== null; ) {
    if (signal.aborted) return;
    at = await store.deleteOfFeature({ guildId, communityId, listings }, at);
  }
  await deleteOrders();
  await scan('deliveries', (after) => store.deliveriesAfter(after, listings));
  // Those without a delivery, which name a listing or the guild. Effects of deliveries were deleted with them.
  await scan('effects', (after) => store.effectsAfter(after, { guildId, communityId, listings }));
  while (!signal.aborted && (await store.deletePlanned(communityId)));
  if (signal.aborted) return;
  await store.deleteRows(communityId, { ...noRows, listings });

  async function deleteAccounts(): Promise<void> {
    while (!signal.aborted) {
      const accountId = await store.firstAccount(communityId);
      if (accountId === null) return;
      await store.deleteAccountEntries(accountId);
    }
  }

  async function deleteOrders(): Promise<void> {
    while (!signal.aborted) {
      const orders = await store.orders(communityId);
      if (orders.length === 0) return;
      await store.deleteRows(communityId, { ...noRows, orders });
    }
  }

  /** Deletes rows that no index finds, some per query. */
  async function scan(name: 'deliveries' | 'effects', read: (after: number) => Promise<ScannedRows>): Promise<void> {
    for (let after = -1; !signal.aborted; ) {
      const { ids, lastId } = await read(after);
      for (let at = 0; at < ids.length && !signal.aborted; at += rowsPerWrite) {
        await store.deleteRows(communityId, { ...noRows, [name]: ids.slice(at, at + rowsPerWrite) });
      }
      if (lastId === null) return;
      after = lastId;
      await nextTurn();
    }
  }
}
