import { Readable } from 'node:stream';
import { loadConfig } from '../../../config/load.ts';
import { withOtherRewards } from '../../../config/other-rewards.ts';
import { noCommunity } from '../../core/ledger/account.ts';
import type { Snapshot } from '../../core/store/snapshots/snapshot.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import { type CommunityListing, listingsWithCommunity } from '../../features/communities/listings.ts';
import { exitCode, type Terminal, UsageError, withSuggestion } from '../../platform/terminal/terminal.ts';
import { writeOutput } from '../../platform/terminal/write-output.ts';
import { withLedger } from '../open-database.ts';
import { communitiesInEffect } from '../stored-settings.ts';
import { readHistory } from './history.ts';
import { createSimulation, formatMembers, formatSummary, type MemberComparison, summaryInJson } from './simulation.ts';

/** Members in the report for people, for each direction. */
const shownMembers = 10;

/** `tallyhook rewards simulate`. */
export async function simulateRewards(
  options: { rules?: string | undefined; listing?: string | undefined; json: boolean; csv: boolean },
  terminal: Terminal,
): Promise<number> {
  const { rules: path, listing: name, json, csv } = options;
  if (path === undefined) throw new UsageError('--rules is missing: a JSON file with the rules to try.');
  if (json && csv) throw new UsageError('Use either --json or --csv.');
  const config = loadConfig(process.env);
  return withLedger(config.databaseUrl, { older: false }, async (snapshot) => {
    const listings = chooseCommunity(await communitiesInEffect(snapshot, config), name);
    const idOf = () => listings[0]?.community.id;
    const changed = listingsWithCommunity(withOtherRewards(listings, { path, listing: name ?? null }), idOf);
    const comparison = await compareMembers(snapshot, changed, terminal);
    if (!json && !csv) {
      const gains = createLargest<MemberComparison>(shownMembers, difference);
      const losses = createLargest<MemberComparison>(shownMembers, (member) => -difference(member));
      for await (const member of comparison.members) {
        if (difference(member) > 0) gains.add(member);
        if (difference(member) < 0) losses.add(member);
      }
      for (const line of formatSummary(comparison.summary())) terminal.print(line);
      for (const line of formatMembers('Members who would gain most:', gains.items())) terminal.print(line);
      for (const line of formatMembers('Members who would lose most:', losses.items())) terminal.print(line);
      return exitCode.ok;
    }
    const lines = json ? jsonLines(comparison) : csvLines(comparison);
    if (!(await writeOutput(Readable.from(lines), terminal))) return exitCode.ok;
    if (csv) for (const line of formatSummary(comparison.summary())) terminal.printError(line);
    return exitCode.ok;
  });
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

type Comparison = Awaited<ReturnType<typeof compareMembers>>;

/** The members, to be read once, before the summary. */
async function compareMembers(snapshot: Snapshot, listings: readonly ListingContext[], terminal: Terminal) {
  const community = { listings, communityId: listings[0]?.community.id ?? noCommunity };
  const history = await readHistory(snapshot, community, { terminal, stopped: 'The simulation was stopped.' });
  const { compare, summary } = createSimulation(history.context);

  async function* members(): AsyncGenerator<MemberComparison> {
    for await (const member of history.members) yield compare(member);
  }

  return { members: members(), summary };
}

/** Keeps the items with the largest values, however many are added. */
function createLargest<Item>(limit: number, rank: (item: Item) => number) {
  let items: Item[] = [];
  const byValue = (one: Item, other: Item) => rank(other) - rank(one);
  return {
    add(item: Item): void {
      items.push(item);
      // Sorting rarely keeps the cost per item low.
      if (items.length >= 2 * limit + 100) items = items.sort(byValue).slice(0, limit);
    },
    /** Largest first. */
    items: (): readonly Item[] => items.sort(byValue).slice(0, limit),
  };
}

function difference({ paid, simulated }: MemberComparison): number {
  return simulated - paid;
}

/** One JSON object, with a line per member. */
async function* jsonLines({ members, summary }: Comparison): AsyncGenerator<string> {
  yield '{"members":[';
  let separator = '\n';
  for await (const member of members) {
    yield `${separator}${JSON.stringify({ ...member, difference: difference(member) })}`;
    separator = ',\n';
  }
  yield `\n],"summary":${JSON.stringify(summaryInJson(summary()))}}\n`;
}

/** RFC 4180. */
async function* csvLines({ members }: Comparison): AsyncGenerator<string> {
  yield 'userId,paid,simulated,difference\r\n';
  for await (const member of members) {
    yield `${member.userId},${member.paid},${member.simulated},${difference(member)}\r\n`;
  }
}
