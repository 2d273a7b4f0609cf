import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ListingConfig } from '../../../config/schema.ts';
import { homeAccounts } from '../../core/ledger/account.ts';
import { withoutSecrets } from '../../core/receiving/listing.ts';
import type { Separation } from '../../core/store/installation/divide-account.ts';
import type { InstallationStore } from '../../core/store/installation/store.ts';
import type { Clock } from '../../platform/clock.ts';
import { day } from '../../platform/durations.ts';
import type { Log } from '../../platform/log.ts';
import type { Store } from '../store.ts';
import { listingsWithCommunity } from './listings.ts';

/** How far an entry that becomes visible may be behind the highest id: ids are given out in blocks, and before the commit. */
const uncertainIds = 100_000;
/** How long after the last entry of an earlier version the search continues. */
const searchedForMs = 7 * day;
/** Members per transaction. */
const membersAtOnce = 20;

/**
 * The guild of the home community, whose accounts are stored under the ids of the members; null if its listings have no
 * guild. It is stored by the first call, so that another order of the settings moves nobody's credits. One that was not
 * known is replaced by the candidate, and so is one that is not configured any more, unless the candidate has accounts
 * of its own. Rejects with the errors of the store.
 *
 * @param candidate the guild of the first listing of the settings; null if it has none
 * @param configured the guilds of all listings of the settings
 */
export async function fixHome(
  store: InstallationStore,
  candidate: string | null,
  configured: readonly string[],
): Promise<string | null> {
  const { stored, home } = await store.home({ candidate, configured });
  return home === stored ? home : store.fixHome({ candidate, configured });
}

/**
 * Moves the entries of listings of other communities from the home accounts of earlier versions to accounts of their
 * own. To be called before votes are received, and then regularly, because processes of an earlier version that still
 * run add others; for each listing until none was found for a week. May be interrupted, and then continues. Rejects with
 * the errors of the store.
 * @returns the number of members whose accounts were divided
 */
export async function separateCommunities(
  store: InstallationStore,
  { moved, kept }: Separation,
  now: number,
): Promise<number> {
  const states = await Promise.all(moved.map(async ({ name }) => [name, await store.separationOf(name)] as const));
  const pending = states.filter(([, state]) => state !== 'done');
  if (pending.length === 0) return 0;
  const names = new Set(pending.map(([name]) => name));
  const from = pending.map(([, state]) => (state === null || state === 'done' ? 0 : state.lastId - uncertainIds));
  const separation = { moved: moved.filter(({ name }) => names.has(name)), kept };
  const { divided, lastId } = await divideAfter(store, Math.max(0, Math.min(...from)), separation, now);
  for (const [name, state] of pending) {
    const foundAt = state === null || state === 'done' || divided > 0 ? now : Math.min(state.foundAt, now);
    await store.noteSeparated(name, now - foundAt >= searchedForMs ? 'done' : { lastId, foundAt });
  }
  return divided;
}

/** Divides accounts with entries of the moved listings after an id, page by page. Returns the highest id. */
async function divideAfter(
  store: InstallationStore,
  after: number,
  separation: Separation,
  now: number,
): Promise<{ readonly divided: number; readonly lastId: number }> {
  const listings = new Set(separation.moved.map(({ name }) => name));
  let divided = 0;
  for (let last = after; ; await nextTurn()) {
    const { accounts, lastId, hasMore } = await store.accountsAfter(last, listings);
    for (let start = 0; start < accounts.length; start += membersAtOnce) {
      divided += await store.divideAccounts(accounts.slice(start, start + membersAtOnce), separation, now);
    }
    if (!hasMore) return { divided, lastId };
    last = lastId;
  }
}

/**
 * Determines the home community, and divides the accounts of earlier versions if the settings name several guilds. To be
 * called before votes are received.
 * @param listings those of the settings
 * @returns the guild of the home community; null if there is none, or its listings have no guild. Without listings that of
 *   earlier settings
 */
export async function prepareAccounts(
  { installation }: Pick<Store, 'installation'>,
  listings: readonly ListingConfig[],
  { clock, log }: { readonly clock: Pick<Clock, 'now'>; readonly log: Log },
): Promise<string | null> {
  const [first] = listings;
  if (first === undefined) return (await installation.home({ candidate: undefined, configured: [] })).home;
  const guilds = listings.flatMap(({ guildId }) => guildId ?? []);
  const home = await fixHome(installation, first.guildId, guilds);
  await separateAccounts({ installation }, { listings, home }, { clock, log });
  return home;
}

/**
 * Divides the accounts of earlier versions. To be repeated, because processes of such a version may still run.
 * @param configured the listings of the settings, and the guild of the home community
 */
export async function separateAccounts(
  { installation }: Pick<Store, 'installation'>,
  { listings, home }: { readonly listings: readonly ListingConfig[]; readonly home: string | null },
  { clock, log }: { readonly clock: Pick<Clock, 'now'>; readonly log: Log },
): Promise<void> {
  const contexts = listingsWithCommunity(listings, home).map(withoutSecrets);
  const isMoved = ({ community }: (typeof contexts)[number]) => community.accounts !== homeAccounts;
  const moved = contexts.filter(isMoved);
  if (moved.length === 0) return;
  const kept = contexts.filter((listing) => !isMoved(listing));
  const members = await separateCommunities(installation, { moved, kept }, clock.now());
  if (members > 0) log.info({ members }, 'moved credits and votes to accounts of their own servers');
}
