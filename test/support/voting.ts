import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@tallyhook/platform/clock';
import { manualClock, storeClock } from '@tallyhook/platform/testing/manual-clock';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { onTestFinished } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import {
  balanceDifferences,
  brokenLinks,
  orphanedRows,
  paymentDifferences,
} from '../../src/core/store/snapshots/audit.ts';
import { openSnapshot } from '../../src/core/store/snapshots/snapshot.ts';
import { repeatedAchievements } from '../../src/core/store/snapshots/statistics.ts';
import { listingsWithCommunity } from '../../src/features/communities/listings.ts';
import { openStore, type Store } from '../../src/features/store.ts';
import type { Vote } from '../../src/webhook/event.ts';
import { runCommand } from './command-line.ts';
import { communityIdsOf } from './communities.ts';
import { environmentWith, harbour } from './listings-file.ts';

export const guildId = '613425648685547541';
/** A Monday. */
export const monday = Date.UTC(2026, 0, 5, 12);

const pier = { name: 'pier', kind: 'bot', id: '2000', guildId };

/** An installation with a server and a bot in one guild, and the rewards of both. */
export function installation(url: string, rewards: object, others: object = {}) {
  const listings = [
    { ...harbour, guildId, rewards, ...others },
    { ...pier, rewards, ...others },
  ];
  const environment = { ...environmentWith(listings), DATABASE_URL: url };
  const configured = loadConfig(environment).listings;
  return { environment, listings: listingsWithCommunity(configured, communityIdsOf(configured)) };
}

export type Installation = ReturnType<typeof installation>;

/** Opens a store until the end of the test. @param now its time or its clock */
export async function openLedger(url: string, now: number | Clock = monday): Promise<Store> {
  const clock = typeof now === 'number' ? storeClock(manualClock(now)) : now;
  const store = await openStore(url, clock, { thread: false });
  onTestFinished(() => store.close());
  return store;
}

/** Records a vote under the rules of the installation. */
export function castVote(
  store: Store,
  { listings }: Installation,
  userId: string,
  at: number,
  changes: Partial<Vote> & { readonly listing?: 'harbour' | 'pier' } = {},
) {
  const { listing: name = 'harbour', ...fields } = changes;
  const listing = listings.find((each) => each.name === name);
  if (listing === undefined) throw new Error('no listing');
  const { kind } = listing;
  const target = { kind, id: listing.id };
  const event: Vote = {
    family: 'vote',
    kind: kind === 'server' ? 'server_vote' : 'bot_vote',
    ...{ target, userId, at, creditsAwarded: null, denial: null, ...fields },
  };
  const body = JSON.stringify({
    event: event.kind,
    userId,
    [kind === 'server' ? 'serverId' : 'botId']: listing.id,
    timestamp: new Date(at).toISOString(),
    creditsAwarded: event.creditsAwarded ?? undefined,
  });
  return store.recorder.record({ receivedAt: at, family: 'vote', body }, { type: 'event', event, listing });
}

/** Writes a file with rules, and returns its path. */
export function rulesFile(rules: object): string {
  const path = join(tempDir(), 'rules.json');
  writeFileSync(path, JSON.stringify(rules));
  return path;
}

/** Runs `tallyhook rewards` with these arguments. */
export function runRewards({ environment }: Pick<Installation, 'environment'>, ...args: readonly string[]) {
  return runCommand(['rewards', ...args], environment);
}

/** Whether all balances, deliveries and links of the ledger are right, and no achievement is paid twice. */
export async function isConsistent(url: string): Promise<boolean> {
  const snapshot = await openSnapshot(url);
  try {
    const counts = [(await balanceDifferences(snapshot)).count, (await paymentDifferences(snapshot)).count];
    const { count: repeated } = await repeatedAchievements(snapshot);
    const { entries, effects } = await orphanedRows(snapshot);
    return [...counts, repeated, entries, effects, await brokenLinks(snapshot)].every((count) => count === 0);
  } finally {
    await snapshot.close();
  }
}
