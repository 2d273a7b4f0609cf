import { join } from 'node:path';
import { mock } from 'node:test';
import { type Clock, systemClock } from '@tallyhook/platform/clock';
import { hour, minute, second } from '@tallyhook/platform/durations';
import { createLog } from '@tallyhook/platform/log';
import { createPrng } from '@tallyhook/platform/prng';
import { type RunningService, startService } from 'listing-service';
import { commands } from '../../commands/index.ts';
import { createLookup } from '../../src/lookup/client.ts';
import { contextFor, inputOf } from '../../test/support/command-fixture.ts';

/** Requests to the service per thousand commands. */
export interface Requests {
  readonly tallyhook: number;
  /** With a cache TTL of a minute. */
  readonly plain: number;
}

/** Whether the members' votes arrived by webhook, happened without a webhook, or were never cast. */
export type Voters = 'known' | 'unknown' | 'never voted';

const members = 200;
const thousand = 1_000;
/** Interval between commands: a thousand in an hour. */
const gap = hour / thousand;

/** A simulated hour: 60 % `/canvote`, 20 % `/stats`, 20 % `/reviews`. */
export async function countRequests(voters: Voters, directory: string): Promise<Requests> {
  // The service limits the requests of a key by the system's clock, so that has to be simulated as well.
  mock.timers.enable({ apis: ['Date'], now: Date.UTC(2025, 5, 1) });
  const clock: Clock = { ...systemClock, now: Date.now, monotonic: Date.now };
  const service = await startService({
    host: '127.0.0.1',
    port: 0,
    database: `sqlite:${join(directory, `requests-${voters.replace(' ', '-')}.db`)}`,
    clock,
    log: createLog({ level: 'silent', secrets: [] }),
    allowLoopbackTargets: true,
    seed: true,
  });
  try {
    const votes =
      voters === 'never voted'
        ? new Map<string, number>()
        : await cast(service, clock, () => mock.timers.tick(3 * second));
    let tallyhook = 0;
    const lookup = createLookup({
      kind: 'server',
      baseUrl: service.baseUrl,
      key: await service.issueKey(service.seeded?.server.id ?? ''),
      clock,
      lastVote: async (userId) => (voters === 'known' ? (votes.get(userId) ?? null) : null),
      observe: ({ event }) => {
        if (event === 'asked') tallyhook += 1;
      },
    });
    const plain = createPlainCache(clock);
    const chance = createPrng(7);
    const context = { ...contextFor({ name: 'server', lookup }), clock, commands };
    for (let count = 0; count < thousand; count += 1) {
      const drawn = chance();
      const name = drawn < 0.6 ? 'canvote' : drawn < 0.8 ? 'stats' : 'reviews';
      const userId = memberId(Math.floor(chance() * members));
      await commands
        .find((command) => command.name === name)
        ?.execute(inputOf({}, { userId, guildId: null, roles: null }), context);
      plain.use(name, userId);
      mock.timers.tick(gap);
    }
    return { tallyhook, plain: plain.requests() };
  } finally {
    await service.stop();
    mock.timers.reset();
  }
}

/** Every member votes, a few seconds apart. Returns the times (ms since the epoch). */
async function cast(service: RunningService, clock: Clock, wait: () => void): Promise<ReadonlyMap<string, number>> {
  const votes = new Map<string, number>();
  for (let number = 0; number < members; number += 1) {
    const userId = memberId(number);
    await service.castVote({ kind: 'server', userId, username: `member_${number}` });
    votes.set(userId, clock.now());
    wait();
  }
  return votes;
}

function memberId(number: number): string {
  return String(400_000_000_000_000_000n + BigInt(number));
}

/** TTL of every cache entry (ms). */
const lifetime = minute;

/** The lookups of each command. */
const needs: Readonly<Record<string, (userId: string) => readonly string[]>> = {
  canvote: (userId) => ['profile', `votes ${userId}`],
  stats: () => ['profile'],
  reviews: () => ['reviews'],
};

/** A common cache with a TTL of a minute for everything. It only counts the requests it would send. */
function createPlainCache(clock: Clock): { use(command: string, userId: string): void; requests(): number } {
  const until = new Map<string, number>();
  let requests = 0;
  return {
    use(command, userId) {
      for (const question of needs[command]?.(userId) ?? []) {
        if (clock.now() < (until.get(question) ?? 0)) continue;
        until.set(question, clock.now() + lifetime);
        requests += 1;
      }
    },
    requests: () => requests,
  };
}
