import { systemClock } from '@tallyhook/platform/clock';
import { day, formatCount } from '@tallyhook/platform/durations';
import { TallyhookError } from '@tallyhook/platform/errors';
import { exitCode, type Terminal, UsageError, withSuggestion } from '@tallyhook/platform/terminal/terminal';
import { withOtherRewards } from '../../../config/listings.ts';
import { loadConfig } from '../../../config/load.ts';
import { noCommunity } from '../../core/ledger/account.ts';
import { accessTo } from '../../core/store/snapshots/snapshot.ts';
import { type CommunityListing, listingsWithCommunity } from '../../features/communities/listings.ts';
import { storedFeatures } from '../../features/index.ts';
import { type SimulatedCredits, simulateCredits, simulatedMs } from '../../features/simulation/feature.ts';
import { withLedger } from '../open-database.ts';
import { communitiesInEffect } from '../stored-settings.ts';

const days = simulatedMs / day;

/** `tallyhook rewards simulate`. */
export async function simulateRewards(
  options: { rules?: string | undefined; listing?: string | undefined; json: boolean },
  { print, stop: signal }: Terminal,
): Promise<number> {
  const { rules: path, listing: name, json } = options;
  if (path === undefined) throw new UsageError('--rules is missing: a JSON file with the rules to try.');
  const config = loadConfig(process.env);
  return withLedger(config.databaseUrl, { older: false }, async (snapshot) => {
    const before = chooseCommunity(await communitiesInEffect(snapshot, config), name);
    const communityId = before[0]?.community.id ?? noCommunity;
    const after = listingsWithCommunity(withOtherRewards(before, { path, listing: name ?? null }), () => communityId);
    const sql = { ...accessTo(snapshot), hooks: storedFeatures.hooks };
    const since = systemClock.now() - simulatedMs;
    // Nobody waits here for an answer in Discord, so it may take its time.
    const change = { communityId, before, after, since, maxEntries: Number.POSITIVE_INFINITY, signal };
    const credits = await simulateCredits(sql, change);
    if (signal.aborted) throw new TallyhookError('stopped', 'The simulation was stopped.');
    print(json ? JSON.stringify({ days, credits }) : inWords(credits));
    return exitCode.ok;
  });
}

function inWords(credits: SimulatedCredits | null): string {
  if (credits === null) return `Nobody has voted in the last ${days} days, so there is nothing to pay by other rules.`;
  const { before, after } = credits;
  return `In the last ${days} days, the rules in force would have paid ${formatCount(before, 'credit')}, these rules ${formatCount(after, 'credit')}.`;
}

/**
 * The listings of the community that is simulated.
 * @param name of one of its listings; not necessary if there is one community
 */
function chooseCommunity(
  communities: readonly (readonly CommunityListing[])[],
  name: string | undefined,
): readonly CommunityListing[] {
  const names = communities.flat().map((listing) => listing.name);
  if (name !== undefined && !names.includes(name)) {
    throw new UsageError(withSuggestion(`There is no listing "${name}".`, name, names));
  }
  const [only, ...others] = communities;
  if (only === undefined) throw new UsageError('There is no community: configure a listing first.');
  if (name === undefined && others.length > 0) {
    throw new UsageError(
      `There are several communities. Choose one of its listings with --listing: ${names.join(', ')}.`,
    );
  }
  return communities.find((listings) => listings.some((listing) => listing.name === name)) ?? only;
}
