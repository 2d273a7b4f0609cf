import { loadConfig } from '../../../config/load.ts';
import { isOf } from '../../../src/core/outbox/effect-kind.ts';
import { settlementKind } from '../../../src/features/prizes/effects.ts';
import { createPlanTask, createSettlementHandler } from '../../../src/features/prizes/parts.ts';
import type { Store } from '../../../src/features/store.ts';
import { takeDue } from '../../support/due-effects.ts';
import { announceChannel } from '../../support/listings.ts';
import { environmentWith, harbour } from '../../support/listings-file.ts';
import { openPeriodWorld, wonIn } from '../../support/period-world.ts';
import { guildId } from '../../support/voting.ts';

export const role = '700000000000000001';

/** The settings of a listing with prizes. */
export interface PrizeWorldSettings {
  readonly prizes: readonly object[];
  readonly timeZone?: string;
  readonly rewards?: object;
  readonly guards?: object;
}

function listingsWith({ prizes, timeZone = 'UTC', rewards = {}, guards = {} }: PrizeWorldSettings) {
  const listing = {
    ...harbour,
    guildId,
    timeZone,
    guards,
    announceChannelId: announceChannel,
    rewards: { ...rewards, prizes },
  };
  return loadConfig(environmentWith([listing])).listings;
}

export type PrizeWorld = Awaited<ReturnType<typeof openWorld>>;

/** A process with a community whose prizes are settled, at a time (ms since the epoch) that the test moves. */
export async function openWorld(url: string, start: number, settings: PrizeWorldSettings) {
  const world = await openPeriodWorld(url, start, settings, listingsWith);
  const { store, directory, clock } = world;
  // Receiving works all the time, although the clock jumps: no day is forgiven as an outage.
  const upkeep = { beat: async () => {} };
  const handler = createSettlementHandler({
    store: { prizes: store.prizes, upkeep },
    directory,
    clock,
    nudge: () => {},
  });

  return {
    ...{ ...world, handler },
    plan: () => createPlanTask(world.community(), { store, clock })(),
    /** Carries out the settlements that are due, as the worker does, and returns the periods in their order. */
    async settle(): Promise<readonly string[]> {
      const settled: string[] = [];
      for (;;) {
        const effects = await takeDue(store, clock.now());
        if (effects.length === 0) return settled;
        for (const effect of effects) {
          if (!isOf(settlementKind, effect)) continue;
          const attempt = await handler(effect);
          if (attempt.outcome !== 'done') throw new Error(JSON.stringify(attempt));
          const { per, by, firstDay } = effect.content;
          settled.push(`${per} ${by} ${new Date(firstDay * 86_400_000).toISOString().slice(0, 10)}`);
        }
      }
    },
  };
}

/** The entries of prizes by member: what each has won, in the order of payment. */
export const prizesIn = (url: string) => wonIn(url, 'prize', guildId);

/** The members to whom a role is granted at a time (ms since the epoch), of these. */
export async function holdersOf(store: Store, userIds: readonly string[], now: number): Promise<readonly string[]> {
  const granted = await Promise.all(userIds.map((userId) => store.roles.isGranted({ guildId, userId, role }, now)));
  return userIds.filter((_, index) => granted[index]);
}
