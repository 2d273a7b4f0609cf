import { systemClock } from '@tallyhook/platform/clock';
import { day, formatCount, isoTime } from '@tallyhook/platform/durations';
import { TallyhookError } from '@tallyhook/platform/errors';
import { createLog } from '@tallyhook/platform/log';
import { exitCode, type Terminal, UsageError, withSuggestion } from '@tallyhook/platform/terminal/terminal';
import { withOtherRewards } from '../../config/listings.ts';
import { loadConfig, loadDatabaseUrl } from '../../config/load.ts';
import { noCommunity } from '../core/ledger/account.ts';
import { accessTo } from '../core/store/snapshots/snapshot.ts';
import { type CommunityListing, listingsWithCommunity } from '../features/communities/listings.ts';
import { createReversals, type ReversalTotals } from '../features/corrections/store.ts';
import { storedFeatures } from '../features/index.ts';
import { type SimulatedCredits, simulateCredits, simulatedMs } from '../features/simulation/feature.ts';
import { type BulkOptions, communitiesOf, withLedger, withStore } from './open-database.ts';
import { confirmed } from './prompt.ts';
import { communitiesInEffect } from './settings.ts';

const days = simulatedMs / day;

export async function simulateRewards(
  options: { readonly rules: string; readonly listing?: string; readonly json?: boolean },
  { print, stop: signal }: Terminal,
): Promise<number> {
  const { rules: path, listing: name, json } = options;
  const config = loadConfig(process.env);
  return withLedger(config.databaseUrl, { older: false }, async (snapshot) => {
    const before = chooseCommunity(await communitiesInEffect(snapshot, config), name);
    const communityId = before[0]?.community.id ?? noCommunity;
    const after = listingsWithCommunity(withOtherRewards(before, { path, listing: name ?? null }), () => communityId);
    const sql = { ...accessTo(snapshot), hooks: storedFeatures.hooks };
    const now = systemClock.now();
    const since = now - simulatedMs;
    // Nobody waits here for an answer in Discord, so it may take its time.
    const change = { communityId, before, after, since, now, maxEntries: Number.POSITIVE_INFINITY, signal };
    const credits = await simulateCredits(sql, change);
    if (signal.aborted) throw new TallyhookError('stopped', 'The simulation was stopped.');
    print(json ? JSON.stringify({ days, credits }) : comparison(credits));
    return exitCode.ok;
  });
}

function comparison(credits: SimulatedCredits | null): string {
  if (credits === null) return `Nobody has voted in the last ${days} days, so there is nothing to pay by other rules.`;
  const { before, after } = credits;
  return `In the last ${days} days, the rules in force would have paid ${formatCount(before, 'credit')}, these rules ${formatCount(after, 'credit')}.`;
}

/** The listings of the simulated community. @param name of one of them; not needed if there is one community */
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

export async function decideAlarms(
  options: { readonly release?: string; readonly reject?: string; readonly json?: boolean },
  { print }: Terminal,
): Promise<number> {
  const { release, reject, json } = options;
  const name = release ?? reject;
  return withStore(loadDatabaseUrl(process.env), async ({ rateAlarms }) => {
    if (name !== undefined) {
      const decision = release === undefined ? 'reject' : 'release';
      const known = (await rateAlarms.held()).map(({ listing }) => listing);
      if (!(await rateAlarms.decide(name, decision, systemClock.now())))
        throw new UsageError(withSuggestion(`No votes of "${name}" are held.`, name, known));
    }
    const listings = await rateAlarms.held();
    if (json)
      print(JSON.stringify({ listings: listings.map((each) => ({ ...each, heldAt: isoTime(each.heldAt) })) }, null, 2));
    else if (listings.length === 0) print('No votes are held.');
    for (const { listing, state, heldAt, held, paid, usual } of json ? [] : listings) {
      const rates = `${paid} were paid in one hour before, about ${Math.round(usual)} are usual`;
      print(`${isoTime(heldAt)}  ${listing}: ${formatCount(held, 'vote')} ${stateTexts[state]}; ${rates}`);
    }
    if (!json && listings.some(({ state }) => state !== 'releasing')) print(rejectionHint);
    return exitCode.ok;
  });
}

const rejectionHint =
  'Before you reject votes, replace the secret, here and at the site: those that arrive after that are held again.';

const stateTexts = {
  held: 'held',
  releasing: 'to be paid by the bot',
  rejecting: 'to be rejected by the bot',
} as const;

export async function reverseVotes(
  options: Partial<BulkOptions> & Readonly<Record<'listing' | 'from' | 'until', string>>,
  terminal: Terminal,
): Promise<number> {
  const { listing, dryRun, yes, json } = options;
  const [from, until] = [timeOf(options.from, '--from'), timeOf(options.until, '--until')];
  if (from >= until) throw new UsageError('--until must be later than --from.');
  const range = { listing, from, until };
  const config = loadConfig(process.env);
  return withStore(config.databaseUrl, async (store) => {
    const communities = await communitiesOf(config, store);
    const names = communities.flatMap(({ named }) => named.map(({ name }) => name));
    const community = communities.find(({ named }) => named.some(({ name }) => name === listing));
    if (community === undefined)
      throw new UsageError(withSuggestion(`There is no listing "${listing}".`, listing, names));
    const log = createLog({ level: 'silent', secrets: config.secrets });
    const reversals = createReversals({ store, listingsOf: () => community.named, clock: systemClock, log });
    const planned = await reversals.preview(range);
    if (dryRun || planned.votes === 0) {
      terminal.print(json ? JSON.stringify({ ...planned, spent: 0 }) : `Would take back ${inWords(planned)}.`);
      return exitCode.ok;
    }
    const question = `Take back ${inWords(planned)}, except what members have spent?`;
    if (!yes && !(await confirmed(question, 'Nothing was taken back.', terminal))) return exitCode.ok;
    const reversed = await reversals.reverse(range, terminal.stop).catch((error: unknown) => {
      if (!terminal.stop.aborted) throw error;
      throw new TallyhookError('stopped', 'Stopped.', { hint: 'Run it again: it continues.' });
    });
    const spent = reversed.spent > 0 ? ` ${formatCount(reversed.spent, 'credit')} had been spent.` : '';
    terminal.print(json ? JSON.stringify(reversed) : `Took back ${inWords(reversed)}.${spent}`);
    return exitCode.ok;
  });
}

function inWords({ credits, votes, members }: ReversalTotals): string {
  return `${formatCount(credits, 'credit')} and ${formatCount(votes, 'vote')} of ${formatCount(members, 'member')}`;
}

/** Ms since the epoch. @throws UsageError */
function timeOf(text: string, option: string): number {
  const [, time, zone] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? [];
  const at = Date.parse(`${time}${zone ?? 'Z'}`);
  if (Number.isNaN(at)) throw new UsageError(`${option} must be a time such as 2026-01-31T12:00Z.`);
  return at;
}
