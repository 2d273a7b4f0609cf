import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '@tallyhook/platform/clock';
import { hour, second } from '@tallyhook/platform/durations';
import { LeaseShare } from '@tallyhook/platform/leases/lease-share';
import { createLog } from '@tallyhook/platform/log';
import { type ManualClock, manualClock } from '@tallyhook/platform/testing/manual-clock';
import { wrappedLeases } from '@tallyhook/platform/testing/wrapped-leases';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../../src/features/store.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';

const log = createLog({ level: 'silent', secrets: [] });
const size = 8;
const stepMs = 250;
const runs = Number(process.env['TALLYHOOK_LEASE_RUNS'] ?? 12);

let groups = 0;

/** Processes that share a database. Time advances in steps, in which all of them finish what they do without waiting. */
async function createInstallation() {
  const time = manualClock();
  const store = await openStore(newSqliteUrl(), time, { thread: false });
  onTestFinished(() => store.close());
  groups += 1;
  const group = `group ${groups}`;
  let pending = 0;

  /** @param clock of the process @param delays before each request, and before each response (ms) */
  function startProcess(
    options: { clock?: Clock; delays?: () => number; slots?: number; beforeRelease?: () => Promise<void> } = {},
  ) {
    const { clock = time, delays = () => 0, slots = size, beforeRelease = async () => {} } = options;
    const cut = { off: false };
    const call = <Args extends unknown[], Result>(run: (...args: Args) => Promise<Result>) => {
      return async (...args: Args): Promise<Result> => {
        const [before, after] = [delays(), delays()];
        if (before > 0) await time.sleep(before);
        if (cut.off) throw new Error('cut off');
        pending += 1;
        const result = await run(...args).finally(() => {
          pending -= 1;
        });
        if (after > 0) await time.sleep(after);
        if (cut.off) throw new Error('cut off');
        return result;
      };
    };
    const delayed = wrappedLeases(store.leases, call);
    const share = new LeaseShare({ store: delayed, group, size: slots, clock, log, onChange() {}, beforeRelease });
    share.start();
    return { share, cut };
  }

  async function settle(): Promise<void> {
    let idle = 0;
    while (idle < 5) {
      await nextTurn();
      idle = pending === 0 ? idle + 1 : 0;
    }
  }

  async function advance(ms: number, check = () => {}): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      await time.advance(stepMs);
      await settle();
      check();
    }
  }

  return { time, startProcess, settle, advance };
}

const counts = (shares: readonly LeaseShare[]) => shares.map((share) => share.slots().length);

function expectOneHolder(shares: readonly LeaseShare[]): void {
  for (let slot = 0; slot < size; slot += 1) {
    expect(shares.filter((share) => share.holds(slot)).length).toBeLessThanOrEqual(1);
  }
}

describe('processes that share slots', () => {
  it('take all of them at once if there is one process', async () => {
    const { startProcess, settle } = await createInstallation();
    const { share } = startProcess();
    await settle();
    expect(share.slots()).toHaveLength(size);
  });

  it('hold about as many each within four seconds, and keep those they have', async () => {
    const { startProcess, settle, advance } = await createInstallation();
    const shares = [startProcess().share];
    await settle();
    for (const expected of [
      [4, 4],
      [3, 3, 2],
      [2, 2, 2, 2],
    ]) {
      const before = shares.map((share) => share.slots());
      shares.push(startProcess().share);
      await advance(4 * second, () => expectOneHolder(shares));
      expect(counts(shares).sort((a, b) => b - a)).toEqual(expected);
      for (const [index, slots] of before.entries())
        expect(slots).toEqual(expect.arrayContaining([...(shares[index]?.slots() ?? [])]));
    }
    expect(shares.map((share) => share.processes())).toEqual([4, 4, 4, 4]);
  });

  it('end their work on a slot before another process may take it', async () => {
    const { startProcess, advance } = await createInstallation();
    const work = Promise.withResolvers<void>();
    const { share } = startProcess({ beforeRelease: () => work.promise });
    await advance(second);
    const other = startProcess().share;
    await advance(4 * second);
    expect(counts([share, other])).toEqual([4, 0]);
    work.resolve();
    await advance(2 * second);
    expect(counts([share, other])).toEqual([4, 4]);
  });

  it('take the slots of a stopped process within two seconds, and of a crashed one within twelve', async () => {
    const { startProcess, advance } = await createInstallation();
    const [first, second_, third] = [startProcess(), startProcess(), startProcess()];
    await advance(6 * second);
    const all = [first.share, second_.share, third.share];
    expect(counts(all).toSorted((a, b) => a - b)).toEqual([2, 3, 3]);
    await first.share.stop();
    await advance(2 * second, () => expectOneHolder(all));
    expect(counts([second_.share, third.share])).toEqual([4, 4]);
    second_.cut.off = true;
    await advance(8 * second, () => expectOneHolder(all));
    expect(second_.share.slots()).toEqual([]);
    await advance(4 * second, () => expectOneHolder(all));
    expect(third.share.slots()).toHaveLength(size);
  });

  it('hold nothing while the database is away, and what they had when it is back', async () => {
    const { startProcess, settle, advance } = await createInstallation();
    const { share, cut } = startProcess();
    await settle();
    cut.off = true;
    await advance(8 * second);
    expect(share.slots()).toEqual([]);
    cut.off = false;
    await advance(second);
    expect(share.slots()).toHaveLength(size);
  });

  it('change to another number of slots without holding slots of both', async () => {
    const { startProcess, advance } = await createInstallation();
    const shares = [startProcess().share, startProcess().share];
    await advance(4 * second);
    await shares[0]?.resize(3);
    await advance(6 * second, () => {
      const sizes = new Set(shares.filter((share) => share.slots().length > 0).map((share) => share.size()));
      expect(sizes.size).toBeLessThanOrEqual(1);
    });
    expect(counts(shares).toSorted((a, b) => a - b)).toEqual([1, 2]);
    expect(shares.map((share) => share.size())).toEqual([3, 3]);
  });

  it(
    'never hold a slot twice, whatever the clocks, delays and crashes',
    async () => {
      const events = fc.array(
        fc.record({
          process: fc.nat({ max: 3 }),
          afterMs: fc.integer({ min: 250, max: 15_000 }),
          what: fc.constantFrom('cut', 'restore', 'stop', 'start', 'setClock'),
        }),
        { minLength: 3, maxLength: 12 },
      );
      const property = fc.asyncProperty(events, fc.infiniteStream(fc.nat({ max: 60 })), async (steps, random) => {
        const { time, startProcess, advance } = await createInstallation();
        /** Usually quick, sometimes longer than a lease. */
        const delays = () => {
          const value = Number(random.next().value);
          return value < 30 ? 0 : value < 55 ? value * 20 : (value - 50) * 1_500;
        };
        const start = () => {
          const wall = { shift: Number(random.next().value) * hour };
          const clock: ManualClock = { ...time, now: () => time.now() + wall.shift, monotonic: () => time.monotonic() };
          return { ...startProcess({ clock, delays }), wall };
        };
        const processes = [start(), start(), start(), start()];
        const everyone = [...processes];
        for (const { process, afterMs, what } of steps) {
          await advance(afterMs, () => expectOneHolder(everyone.map(({ share }) => share)));
          const current = processes[process];
          if (current === undefined) continue;
          if (what === 'cut') current.cut.off = true;
          if (what === 'restore') current.cut.off = false;
          if (what === 'setClock') current.wall.shift -= 3 * hour;
          if (what === 'stop') void current.share.stop();
          if (what === 'start') {
            current.cut.off = true;
            processes[process] = start();
            everyone.push(processes[process]);
          }
        }
        for (const { share } of everyone) void share.stop();
        await advance(20 * second);
      });
      await fc.assert(property, { numRuns: runs });
    },
    10_000 + runs * 2_000,
  );
});
