import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { withTimeout } from '@tallyhook/platform/with-timeout';
import type { ListingConfig } from '../../../config/schema.ts';
import type { Directory } from '../communities/feature.ts';
import type { SettingPath } from '../settings.ts';
import { type RuleChange, type SimulatedCredits, simulatedMs } from '../simulation/feature.ts';
import type { Setup } from './setup.ts';
import type { SettingChange } from './stored-changes.ts';

/** The settings that decide what members are paid. Others give roles, announce, or say which votes count. */
const payingPaths: readonly string[] = [
  'rewards.vote',
  'rewards.premium',
  'rewards.whenDenied',
  'rewards.multipliers',
  'rewards.streak',
  'rewards.milestones',
  'rewards.allListings',
  'rewards.party',
  'timeZone',
] satisfies readonly SettingPath[];

/** More entries of members would take seconds. */
const maxEntries = 20_000;
/** A manager waits no longer for it (ms), with the change in effect. */
const maxWaitMs = 2 * second;

/** What settings were before a change that is saved, or what they would be after one that is not. Valid values. */
export type ComparedSettings =
  | { readonly before: readonly SettingChange[] }
  | { readonly after: readonly SettingChange[] };

/**
 * What the rules before and after a change would have paid in the last 30 days. Null if it changes no payment, if there
 * is nothing to compare, or if it takes too long. Never rejects.
 */
export type SimulateChange = (guildId: string, compared: ComparedSettings) => Promise<SimulatedCredits | null>;

export function createChangeSimulation(options: {
  readonly setup: Pick<Setup, 'listingsWith'>;
  readonly directory: Pick<Directory, 'ofGuild'>;
  readonly simulate: (change: RuleChange) => Promise<SimulatedCredits | null>;
  /** The time of votes, and real time. */
  readonly clock: Pick<Clock, 'now'>;
  readonly stopwatch: Clock;
  readonly log: Log;
}): SimulateChange {
  const { setup, directory, simulate, clock, stopwatch, log } = options;
  /** One at a time, so that managers who save again and again do not slow down others. */
  let isRunning = false;

  async function run(guildId: string, compared: ComparedSettings, signal: AbortSignal) {
    const community = directory.ofGuild(guildId);
    const isSaved = 'before' in compared;
    const changes = (isSaved ? compared.before : compared.after).filter(({ path }) => payingPaths.includes(path));
    if (community === undefined || changes.length === 0) return null;
    const { current, changed } = await setup.listingsWith(guildId, changes);
    const [before, after] = isSaved ? [changed, current] : [current, changed];
    const { id: communityId, listings } = community;
    const withRules = (configured: readonly ListingConfig[]) =>
      listings.map((listing) => {
        const { rewards, timeZone } = configured.find(({ name }) => name === listing.name) ?? listing;
        return { ...listing, rewards, community: { ...listing.community, timeZone } };
      });
    const since = clock.now() - simulatedMs;
    return simulate({ communityId, before: withRules(before), after: withRules(after), since, maxEntries, signal });
  }

  return async (guildId, compared) => {
    if (isRunning) return null;
    isRunning = true;
    const stop = new AbortController();
    try {
      return await withTimeout(maxWaitMs, stopwatch, run(guildId, compared, stop.signal));
    } catch (error) {
      log.warn(
        { guild: guildId, reason: messageOf(error) },
        'what changed rules would have paid could not be computed',
      );
      return null;
    } finally {
      stop.abort();
      isRunning = false;
    }
  };
}
