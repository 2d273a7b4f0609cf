import { setImmediate as nextTurn } from 'node:timers/promises';
import { day, hour, minute } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import { createLoop } from '@tallyhook/platform/loop';
import { type CommunityId, noCommunity } from '../../core/ledger/account.ts';
import { directMessage, type NewEffect } from '../../core/outbox/effect-kind.ts';
import type { GuildDataStore, GuildRows, ScannedRows } from '../../core/store/guild-data.ts';
import { rowsPerWrite } from '../../core/store/sql-module.ts';
import type { PartsContext } from '../parts.ts';
import { type DepartureNotice, departureMessage } from './feature.ts';
import { byTallyhook, type GuildState, type GuildStore } from './store.ts';

/** How long the settings and the data of a parked community are kept. */
export const keepParkedMs = 30 * day;

const checkEveryMs = hour;
/** A guild is missing if two checks in a row did not find it; other processes may check at the same time. */
const minMissingMs = 30 * minute;
/** How long before the deletion notices are given (ms), the earliest first. */
const noticesBeforeMs = [7 * day, day];

export interface DepartureContext extends Pick<PartsContext, 'nudge' | 'clock' | 'log'> {
  readonly store: { readonly communities: GuildStore; readonly guildData: GuildDataStore };
  readonly directory: {
    ofGuild(guildId: string): { readonly id: CommunityId; readonly named: readonly { name: string }[] } | undefined;
  };
  readonly settings: {
    /** Guilds of the operator's own listings, which are never parked. */
    readonly isOperators: (guildId: string) => boolean;
    readonly refresh: () => Promise<void>;
  };
}

/**
 * Parks communities that have removed the bot, and deletes their settings and data 30 days later.
 * @param isMember true if the bot is in a guild; rejects if Discord does not say
 */
export function createDepartures(
  { store: { communities: guilds, guildData }, directory, settings, nudge, clock, log }: DepartureContext,
  listGuilds: () => Promise<ReadonlySet<string>>,
  isMember: (guildId: string) => Promise<boolean>,
) {
  async function checkGuild(guild: GuildState, isPresent: boolean): Promise<boolean> {
    const { guildId, missingSince, parkedAt, parkedBy } = guild;
    const now = clock.now();
    if (isPresent) {
      if (parkedAt !== null && parkedBy === byTallyhook) {
        await guilds.setParked(guildId, null);
        log.info({ guild: guildId }, 'the bot was added again: the settings of the community are in use again');
        return true;
      }
      if (missingSince !== null) await guilds.setMissing(guildId, null);
      return false;
    }
    if (parkedAt !== null || settings.isOperators(guildId)) return false;
    if (missingSince === null) {
      await guilds.setMissing(guildId, now);
      return false;
    }
    if (now - missingSince < minMissingMs || (await isMember(guildId))) return false;
    const message = await messageFor(guildId, now, 0);
    if (!(await guilds.setParked(guildId, { at: now, by: byTallyhook }, message))) return true;
    if (message !== null) nudge([message.queue]);
    const fields = { guild: guildId, deletedAt: new Date(now + keepParkedMs).toISOString() };
    log.warn(fields, 'the bot was removed: the community is parked, and its data will be deleted');
    return true;
  }

  /** To the member who last changed the settings. */
  async function messageFor(guildId: string, parkedAt: number, notices: number): Promise<NewEffect | null> {
    const authorId = await guilds.lastAuthor(guildId);
    if (authorId === null) return null;
    const { id = noCommunity, named: [first] = [] } = directory.ofGuild(guildId) ?? {};
    const message = { guildId, listing: first?.name ?? null, parkedAt, notices, deletedAt: parkedAt + keepParkedMs };
    return directMessage(id, authorId, departureMessage, message, clock.now());
  }

  /** Says that a community will be deleted soon; each notice once, over all processes. */
  async function giveNotice({ guildId, parkedAt, parkedBy, changedAt, notices }: GuildState): Promise<void> {
    if (parkedAt === null || changedAt === null) return;
    const deletedAt = parkedAt + keepParkedMs;
    const due = noticesBeforeMs.filter((before) => clock.now() >= deletedAt - before).length;
    if (due <= notices) return;
    // One that the operator has parked cannot be kept by adding the bot again.
    const message = parkedBy === byTallyhook ? await messageFor(guildId, parkedAt, due) : null;
    if (!(await guilds.noteNotice(guildId, due, message))) return;
    if (message !== null) nudge([message.queue]);
    const fields = { guild: guildId, deletedAt: new Date(deletedAt).toISOString() };
    log.warn(fields, 'the settings and the data of a parked community will be deleted soon');
  }

  async function deleteExpired(all: readonly GuildState[], signal: AbortSignal): Promise<boolean> {
    const expired = all.filter(({ parkedAt, changedAt }) => changedAt !== null && isExpired(parkedAt, clock.now()));
    for (const { guildId } of expired) {
      // The bot may have returned since the list was read.
      if (!isExpired((await guilds.find(guildId))?.parkedAt ?? null, clock.now())) continue;
      // At the next check, no process receives its votes any more.
      if (!settings.isOperators(guildId) && (await guilds.deleteWebhookSecrets(guildId))) continue;
      if (!settings.isOperators(guildId)) await deleteGuildData(guildData, guildId, signal);
      while (!signal.aborted && (await guilds.deleteSettings(guildId)));
      log.warn({ guild: guildId }, 'the settings and the data of a parked community were deleted');
    }
    return expired.length > 0;
  }

  /** Checks once. Rejects if Discord or the store fails; that counts as nothing. */
  async function check(signal: AbortSignal = new AbortController().signal): Promise<void> {
    const present = await listGuilds();
    const all = await guilds.list();
    let hasChanged = false;
    for (const guild of all) {
      if (signal.aborted) return;
      if (await checkGuild(guild, present.has(guild.guildId))) hasChanged = true;
      else await giveNotice(guild);
    }
    if ((await deleteExpired(all, signal)) || hasChanged) await settings.refresh();
  }

  return {
    check,
    /** True if a notice is still true and the newest one. Rejects with the errors of the store and of Discord. */
    async isNoticeWanted({ guildId, parkedAt, deletedAt, notices }: DepartureNotice): Promise<boolean> {
      const guild = await guilds.find(guildId);
      if (guild?.parkedAt !== parkedAt || guild.parkedBy !== byTallyhook || guild.notices !== notices) return false;
      return clock.now() < deletedAt && !(await isMember(guildId));
    },
    loop: createLoop({
      round: check,
      pauseMs: checkEveryMs,
      onError: (error) => log.info({ reason: messageOf(error) }, 'the guilds of the bot could not be compared'),
      clock,
    }),
  };
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
