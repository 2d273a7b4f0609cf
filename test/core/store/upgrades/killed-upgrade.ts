import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { eventKeyDigest } from '../../../../src/core/store/migrations/008-event-keys.ts';
import {
  balanceDifferences,
  brokenLinks,
  orphanedRows,
  paymentDifferences,
} from '../../../../src/core/store/snapshots/audit.ts';
import { readDatabaseStatus } from '../../../../src/core/store/snapshots/database-status.ts';
import { openSnapshot } from '../../../../src/core/store/snapshots/open-snapshot.ts';
import { openStore } from '../../../../src/features/store.ts';
import { systemClock } from '../../../../src/platform/clock.ts';
import { serverAndBot } from '../../../support/listings.ts';
import type { OldDatabase, OldVote } from './old-database.ts';

const upgradeFile = new URL('upgrade.ts', import.meta.url).pathname;

/** When to kill an upgrade: so many milliseconds after so many transactions. It waits for that after the next one. */
export interface Kill {
  readonly transactions: number;
  readonly ms: number;
}

/** Starts an upgrade in another process. Returns its exit code: null if it was killed. */
export async function upgrade(url: string, kill?: Kill): Promise<number | null> {
  const args = kill === undefined ? [] : [String(kill.transactions)];
  const child = spawn(process.execPath, [upgradeFile, url, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  let errors = '';
  child.stderr.on('data', (data) => (errors += String(data)));
  child.stdout.on('data', (data) => {
    output += String(data);
    if (kill !== undefined && output.split('\n').length > kill.transactions) {
      void wait(kill.ms).then(() => child.kill('SIGKILL'));
    }
  });
  const [code] = (await once(child, 'close')) as [number | null];
  expect(errors).toBe('');
  return code;
}

/** Compares every row that the upgrade has written with what the old votes say. */
export async function expectUpgraded(url: string, old: OldDatabase): Promise<void> {
  expect(await readDatabaseStatus(url)).toEqual({ state: 'current' });
  const snapshot = await openSnapshot(url);
  const { db, run } = snapshot;
  try {
    expect(await brokenLinks(snapshot)).toBe(0);
    expect(await balanceDifferences(snapshot)).toEqual({ count: 0, first: [] });
    expect(await paymentDifferences(snapshot)).toEqual({ count: 0, first: [] });
    expect(await orphanedRows(snapshot)).toEqual({ entries: 0, effects: 0, names: 0 });

    const keys = await run(db.selectFrom('event_keys').select('key'));
    const hex = (key: Uint8Array) => Buffer.from(key).toString('hex');
    expect(keys.map(({ key }) => hex(key)).sort()).toEqual(old.keys.map((key) => hex(eventKeyDigest(key))).sort());

    const entries = await run(db.selectFrom('entries').select(['number', 'untimed']).orderBy('id'));
    expect(entries).toEqual(old.votes.map(({ isUntimed }) => ({ number: 0, untimed: isUntimed ? 1 : 0 })));

    const newest = Map.groupBy(old.votes, ({ userId }) => userId);
    const balances = await run(db.selectFrom('balances').select(['user_id', 'entries', 'last_votes']));
    expect(balances.length).toBe(newest.size);
    for (const { user_id: userId, entries: count, last_votes: lastVotes } of balances) {
      expect(count).toBe(0);
      const server = Math.max(...(newest.get(userId) ?? []).map(({ at }) => at));
      expect(JSON.parse(lastVotes)).toEqual({ server });
    }

    const effects = await run(
      db.selectFrom('effects').select(['state', 'attempts', 'created_at', 'unsure_since']).orderBy('id'),
    );
    expect(effects.length).toBe(old.votes.length);
    for (const { state, attempts, created_at: createdAt, unsure_since: unsureSince } of effects) {
      expect(unsureSince).toBe(state === 'waiting' && attempts > 0 ? createdAt : null);
    }
    const tables = await snapshot.tables();
    expect(tables).not.toContain('untimed_deliveries');
    expect(tables).toContain('locks');
  } finally {
    await snapshot.close();
  }
}

/** Delivers an old vote again. */
export async function repeat(url: string, { userId, at, isUntimed }: OldVote): Promise<string> {
  const store = await openStore(url, systemClock, { thread: false });
  const [listing] = serverAndBot();
  if (listing === undefined) throw new Error('There is no listing.');
  const target = { kind: 'server', id: '1' } as const;
  const event = {
    ...({ family: 'vote', kind: 'server_vote', target, userId, creditsAwarded: true, denial: null } as const),
    at: isUntimed ? null : at,
  };
  const delivery = { receivedAt: at, family: 'vote', body: '{}' } as const;
  const { outcome } = await store.recorder.record(delivery, {
    type: 'event',
    event,
    listing: { ...listing, name: 'server' },
  });
  await store.close();
  return outcome;
}
