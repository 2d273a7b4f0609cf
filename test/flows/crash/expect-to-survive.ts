import { setTimeout as wait } from 'node:timers/promises';
import { minute, second } from '@tallyhook/platform/durations';
import { createPrng } from '@tallyhook/platform/prng';
import { createOffsetClock } from '@tallyhook/platform/testing/offset-clock';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, vi } from 'vitest';
import { openSnapshot } from '../../../src/core/store/snapshots/snapshot.ts';
import type { Program } from '../../support/start-program.ts';
import { createCommunity } from './community.ts';
import { ListingService, remindedVoters, votersPerRound } from './deliveries.ts';
import { expectEveryEffectOnce } from './expectations.ts';
import { addCounts, type Interrupted, readInterrupted } from './interrupted.ts';
import { interruptedAt, type MomentName, watchForMoment } from './moments.ts';
import { callsIn, type ProgramName, startNamed } from './programs.ts';
import { Shoppers } from './shoppers.ts';

/** A Wednesday. The programs, the local Discord and the votes are of this day. */
const firstDay = Date.UTC(2026, 0, 14, 12);
/** From a kill to the next start by the clock of the programs: leases end, Discord remembers the nonces of messages. */
const pauseMs = 45 * second;
/** The same before a digest, whose period has ended then. Discord has forgotten the nonces. */
const longPauseMs = 10 * minute;
/** How long the local Discord remembers a nonce. */
const nonceLifetimeMs = 5 * minute;
const patience = { timeout: 120_000, interval: 20 };

export interface Crashes {
  readonly seed: number;
  /** One for each kill: the first time at once, so that what was done is not stored, later times some ms later. */
  readonly moments: readonly MomentName[];
  /** The programs that use the database at the same time. */
  readonly programs: readonly ProgramName[];
  readonly url: string;
  /** Frees the slots that killed programs hold, which others would do after 12 s. */
  readonly freeSlots: () => void;
  readonly onRound?: (line: string) => void;
}

/**
 * Lets programs receive votes, sell items and carry out effects while they are killed at these moments, and counts all
 * effects afterwards.
 */
export async function expectToSurvive(crashes: Crashes): Promise<void> {
  const { seed, moments, url: databaseUrl, freeSlots, onRound = () => {} } = crashes;
  const random = createPrng(seed);
  const clock = createOffsetClock();
  let clockShiftMs = firstDay - clock.now();
  clock.shiftWallClock(clockShiftMs);
  const pass = (ms: number) => {
    clock.advance(ms);
    clockShiftMs += ms;
  };
  const directory = tempDir();
  const reminded = remindedVoters(moments.length);
  const voters = votersPerRound * moments.length;
  const { discord, environment } = await createCommunity(databaseUrl, directory, { clock, voters, reminded });
  const service = new ListingService(random, moments.length);
  const shoppers = new Shoppers(discord);
  const all: Program[] = [];
  let interrupted: Interrupted = { waiting: {}, begun: {}, messages: [] };
  let startMs = 2 * second;

  function start(): Program[] {
    const programs = crashes.programs.map((name) => startNamed(name, environment, directory, clockShiftMs));
    all.push(...programs);
    return programs;
  }

  /** Waits for a program that answers commands. False if it is over before. */
  async function isAnswering(over?: AbortSignal): Promise<boolean> {
    const canBuy = () => discord.connected && discord.commands().some(({ name }) => name === 'shop');
    while (!over?.aborted && !canBuy()) await wait(10);
    return !over?.aborted;
  }

  async function killAt(moment: MomentName, delayMs: number): Promise<void> {
    const startedAt = performance.now();
    const programs = start();
    const killing = new AbortController();
    const { signal } = killing;
    const watch = watchForMoment(moment, {
      ...{ discord, programs, random, startMs, delayMs },
      onCome() {
        for (const { process } of programs) process.kill('SIGKILL');
        killing.abort();
      },
    });
    const urls = await Promise.all(programs.map(({ url }) => url())).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      return [];
    });
    if (!signal.aborted) {
      startMs = performance.now() - startedAt;
      const sending = service.send(service.nextRound(clock.now()), urls, watch.acknowledged);
      const buying = isAnswering(signal).then((can) => (can ? shoppers.buy(signal) : undefined));
      await vi.waitFor(() => expect(signal.aborted, `killed at: ${moment}`).toBe(true), patience);
      await Promise.all([sending, buying]);
    }
    watch.stop();
    await Promise.all(programs.map(({ ended }) => ended));
  }

  /** Whether all that the moment interrupts was in progress at a kill. */
  const isInterrupted = (moment: MomentName) =>
    [moment].flatMap((each) => interruptedAt[each] ?? []).every((kind) => (interrupted.begun[kind] ?? 0) > 0);

  async function interruptAt(moment: MomentName, delayMs: number): Promise<string> {
    pass(moment === 'digest' ? longPauseMs : pauseMs);
    await killAt(moment, delayMs);
    freeSlots();
    const { waiting, begun, messages } = await readInterrupted(databaseUrl, clock.now());
    const purchases = { purchase: shoppers.unanswered.length };
    interrupted = {
      waiting: addCounts(addCounts(interrupted.waiting, waiting), purchases),
      begun: addCounts(addCounts(interrupted.begun, begun), purchases),
      messages: [...new Set([...interrupted.messages, ...messages])],
    };
    return JSON.stringify({ waiting, begun, ...purchases });
  }

  for (const [index, moment] of moments.entries()) {
    const delayMs = moments.indexOf(moment) === index ? 0 : 20 * random();
    let result = await interruptAt(moment, delayMs);
    // The program may have been quicker than the kill.
    for (let kills = 1; kills < 5 && !isInterrupted(moment); kills += 1) result = await interruptAt(moment, delayMs);
    onRound(`${index + 1} of ${moments.length}, ${moment}: ${result}`);
  }

  pass(pauseMs);
  const programs = start();
  const urls = await Promise.all(programs.map(({ url }) => url()));
  await service.send(service.waiting, urls, () => {});
  expect(service.waiting).toEqual([]);
  for (const delivery of service.sent) {
    const { firstOutcome } = delivery;
    const outcome = firstOutcome === 'recorded' ? 'duplicate' : firstOutcome;
    expect(await service.outcomeOf(delivery, urls[0] ?? ''), delivery.body).toBe(outcome);
  }
  await isAnswering();
  // Confirmed purchases are reported, and the reports are answered.
  for (let step = 0; step < 2; step += 1) {
    await vi.waitFor(() => shoppers.finish(), patience);
    await vi.waitFor(async () => expect(await readWaiting(databaseUrl, clock.now())).toEqual([]), patience);
  }
  for (const { process } of programs) process.kill('SIGTERM');
  expect(await Promise.all(programs.map(({ ended }) => ended))).toEqual(programs.map(() => 0));

  const maxRepeated = clock.now() - firstDay > nonceLifetimeMs ? interrupted.messages.length : 0;
  await expectEveryEffectOnce({
    ...{ databaseUrl, discord, environment, service, shoppers, reminded, maxRepeated },
    calls: all.flatMap(({ output }) => callsIn(output())),
  });
  for (const kind of moments.flatMap((moment) => interruptedAt[moment] ?? [])) {
    expect(interrupted.begun[kind] ?? 0, `${kind} in progress when killed`).toBeGreaterThan(0);
  }
}

/** What the programs still have to do. */
async function readWaiting(url: string, now: number): Promise<readonly object[]> {
  const snapshot = await openSnapshot(url);
  const { db, run } = snapshot;
  const effects = db.selectFrom('effects').select(['kind', 'queue', 'attempts', 'reason']);
  const waiting = [
    ...(await run(effects.where('state', '=', 'waiting').limit(5))),
    ...(await run(db.selectFrom('planned_effects').selectAll().where('due_at', '<=', now).limit(5))),
    ...(await run(
      db
        .selectFrom('grants')
        .selectAll()
        .where(({ or, eb }) => or([eb('state', '=', 'pending'), eb('until', '<=', now)]))
        .limit(5),
    )),
  ];
  await snapshot.close();
  return waiting;
}
