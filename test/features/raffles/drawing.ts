import { createHash, createHmac } from 'node:crypto';
import { hour } from '@tallyhook/platform/durations';
import { loadConfig } from '../../../config/load.ts';
import { isOf } from '../../../src/core/outbox/effect-kind.ts';
import { queueName } from '../../../src/core/outbox/queue.ts';
import { createDrawHandler, createOpeningTask } from '../../../src/features/raffles/drawing.ts';
import { raffleDrawKind, raffleDrawnKind, raffleOpenedKind } from '../../../src/features/raffles/effects.ts';
import { createRaffles } from '../../../src/features/raffles/parts.ts';
import { takeDue } from '../../support/due-effects.ts';
import { announceChannel } from '../../support/listings.ts';
import { environmentWith, harbour } from '../../support/listings-file.ts';
import { openPeriodWorld, wonIn as wonInGuild } from '../../support/period-world.ts';

export const guilds = ['613425648685547541', '613425648685547542'] as const;

/** The settings of a listing in each guild. */
export interface RaffleWorldSettings {
  /** None for no raffles. */
  readonly raffle?: object;
  readonly timeZone?: string;
  readonly guards?: object;
}

const channels = [announceChannel, '500000000000000077'] as const;

function listingsWith({ raffle, timeZone = 'UTC', guards }: RaffleWorldSettings) {
  const listings = guilds.map((guildId, index) => ({
    ...{ ...harbour, name: `listing-${index}`, id: String(1_000 + index), guildId, timeZone },
    ...{ lookupKey: `key-${index}`, voteSecrets: [`secret-of-listing-${index}`], announceChannelId: channels[index] },
    rewards: raffle === undefined ? {} : { raffle },
    ...(guards && { guards }),
  }));
  return loadConfig(environmentWith(listings)).listings;
}

export type RaffleWorld = Awaited<ReturnType<typeof openWorld>>;

/** A process with two communities that have the same raffles, at a time (ms since the epoch) that the test moves. */
export async function openWorld(url: string, start: number, settings: RaffleWorldSettings) {
  const world = await openPeriodWorld(url, start, settings, listingsWith);
  const { store, directory, clock, community } = world;
  const handler = createDrawHandler({ store, directory, clock, nudge: () => {} });

  async function due() {
    return (await takeDue(store, clock.now())).flatMap((effect) => (isOf(raffleDrawKind, effect) ? [effect] : []));
  }

  return {
    ...{ ...world, handler, due },
    /** Begins the raffles of the period that is now. */
    async open() {
      for (const each of directory.communities) await createOpeningTask(each, { store, clock })();
    },
    /** Carries out the draws that are due, as the worker does; returns how many. */
    async draw(): Promise<number> {
      const effects = await due();
      for (const effect of effects) {
        const attempt = await handler(effect);
        if (attempt.outcome !== 'done') throw new Error(JSON.stringify(attempt));
      }
      return effects.length;
    },
    /** The raffle as the command shows it to a member. */
    statusOf: (userId: string, index = 0) =>
      createRaffles(community(index), { store, clock, config: { publicUrl: 'https://votes.example' } }).statusOf(
        userId,
      ),
    /** The file that is published of the newest raffle that was drawn; null before. */
    async published(index = 0) {
      const raffle = await store.raffles.lastDrawn(community(index).id);
      return raffle && ((await store.raffles.published(raffle.raffleId))?.file ?? null);
    },
    /** The kinds of announcements that wait in the channel of a community. */
    async announced(index = 0) {
      const queue = queueName('channel', community(index).id, channels[index] ?? '');
      const found: string[] = [];
      for (;;) {
        const effects = await store.outbox.claim(queue, clock.now(), clock.now() + hour, 1);
        if (effects.length === 0) return found;
        for (const effect of effects) {
          if ('content' in effect && (isOf(raffleOpenedKind, effect) || isOf(raffleDrawnKind, effect)))
            found.push(effect.kind);
        }
        await store.outbox.done(effects, clock.now());
      }
    },
  };
}

/** What members of a community have won in raffles: the credits in the order of payment. */
export const wonIn = (url: string, index = 0) => wonInGuild(url, 'raffle', guilds[index] ?? '');

/** The winners that follow from a file by the rule in docs/raffles.md, with nothing but SHA-256, HMAC and whole numbers. */
export function recompute(file: string): { readonly winners: string[]; readonly commitment: string } {
  const { seed, places, tickets } = JSON.parse(file);
  const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
  const hash = sha256(tickets.map((each: Ticket) => `${each.member} ${each.tickets}\n`).join(''));
  let slips: string[] = tickets.flatMap((each: Ticket) => Array(each.tickets).fill(each.member));
  const winners: string[] = [];
  for (let n = 0; winners.length < places && slips.length > 0; n += 1) {
    const digest = createHmac('sha256', Buffer.from(seed, 'hex')).update(`${hash} ${n}`).digest('hex');
    const [number, left] = [BigInt(`0x${digest.slice(0, 12)}`), BigInt(slips.length)];
    if (number >= 2n ** 48n - (2n ** 48n % left)) continue;
    const winner = slips[Number(number % left)] ?? '';
    winners.push(winner);
    slips = slips.filter((member) => member !== winner);
  }
  return { winners, commitment: sha256(Buffer.from(seed, 'hex')) };
}

interface Ticket {
  readonly member: string;
  readonly tickets: number;
}
