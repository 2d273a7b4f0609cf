import { day, hour } from '@tallyhook/platform/durations';
import { createSender, type OutgoingDelivery } from '../../support/sender.ts';
import { firstVoter, memberId, patrons, regulars } from './community.ts';

const connections = 8;
/** Some days of the month before the votes of a round: the first Wednesday, the time of a vote, and the number of days. */
const past = { firstAt: Date.UTC(2025, 11, 3, 12), days: 6 };
/** New deliveries of a round from members who vote once: at first with reminders, and for the bot. */
const perRound = { reminded: 3, plain: 5, generous: 2, bot: 4, test: 1, unknown: 1 };
export const votersPerRound = Object.values(perRound).reduce((sum, number) => sum + number) + 1;

/** The voters who vote for the server and have reminders. */
export function remindedVoters(rounds: number): string[] {
  return Array.from({ length: rounds }, (_, round) => round).flatMap((round) =>
    Array.from({ length: perRound.reminded }, (_, index) => memberId(firstVoter + round * votersPerRound + index)),
  );
}

export interface Delivery extends OutgoingDelivery {
  readonly userId: string;
  /** The outcome of the first delivery. */
  readonly firstOutcome: 'recorded' | 'test' | 'quarantined';
  /** A vote that counts. `at` in ms since the epoch. */
  readonly vote?: { readonly listing: 'harbour' | 'pier'; readonly at: number; readonly creditsAwarded: number | null };
  /** An event of premium: the order is bought, or revoked. */
  readonly order?: { readonly id: string; readonly isRevoked: boolean };
}

/** Sends deliveries as the service does: again, as long as they are not acknowledged. */
export class ListingService {
  readonly sent: Delivery[] = [];
  readonly acknowledged = new Set<Delivery>();
  readonly #random: () => number;
  readonly #past: Delivery[];
  readonly #pastPerRound: number;
  readonly #send: ReturnType<typeof createSender>['send'];
  #voters = firstVoter;

  constructor(random: () => number, rounds: number) {
    this.#random = random;
    this.#past = shuffle(pastVotes(random), random);
    this.#pastPerRound = Math.ceil(this.#past.length / rounds);
    this.#send = createSender(connections).send;
  }

  /** What was not acknowledged yet, and new deliveries of all kinds. */
  nextRound(now: number): Delivery[] {
    const { reminded, plain, generous, bot, test, unknown } = perRound;
    const times = (length: number, create: () => Delivery) => Array.from({ length }, create);
    const first = [...times(reminded, () => this.#vote('harbour', now)), this.#vote('pier', now)];
    const others = [
      ...times(plain, () => this.#vote('harbour', now)),
      ...times(generous, () => this.#vote('harbour', now, 25)),
      ...times(bot, () => this.#vote('pier', now)),
      ...times(test, () => this.#other('test', { event: 'server_vote', test: true }, now)),
      ...times(unknown, () => this.#other('quarantined', { event: 'surprise' }, now)),
      ...this.#past.splice(0, this.#pastPerRound),
      ...patrons.flatMap((userId) => this.#premium(userId, now)),
    ];
    const waiting = this.waiting;
    const added = [...first, ...shuffle(others, this.#random)];
    this.sent.push(...added);
    return [...first, ...waiting, ...added.slice(first.length)];
  }

  /** What was sent and not acknowledged. */
  get waiting(): Delivery[] {
    return this.sent.filter((delivery) => !this.acknowledged.has(delivery));
  }

  /** Sends deliveries to random ones of the programs until they are killed, one in five twice at once. */
  async send(deliveries: readonly Delivery[], urls: readonly string[], onAcknowledged: () => void): Promise<void> {
    const queue = deliveries.flatMap((delivery) => (this.#random() < 0.2 ? [delivery, delivery] : [delivery]));
    const sendNext = async () => {
      for (let delivery = queue.shift(); delivery !== undefined; delivery = queue.shift()) {
        const response = await this.#send(pick(urls, this.#random) ?? '', delivery);
        if (response === null) return;
        if (response.status !== 200) continue;
        this.acknowledged.add(delivery);
        onAcknowledged();
      }
    };
    await Promise.all(Array.from({ length: connections }, sendNext));
  }

  /** Sends a delivery once, and returns the outcome. */
  async outcomeOf(delivery: Delivery, url: string): Promise<string | null> {
    return (await this.#send(url, delivery))?.outcome ?? null;
  }

  #nextVoter(): string {
    this.#voters += 1;
    return memberId(this.#voters - 1);
  }

  #vote(listing: 'harbour' | 'pier', at: number, creditsAwarded: number | null = null): Delivery {
    return voteOf(this.#nextVoter(), listing, at, creditsAwarded);
  }

  #other(firstOutcome: 'test' | 'quarantined', payload: object, at: number): Delivery {
    const userId = this.#nextVoter();
    const body = JSON.stringify({ ...payload, userId, timestamp: new Date(at).toISOString() });
    return { userId, family: 'vote', body, firstOutcome };
  }

  /** Buys a new order, or revokes one that was bought. */
  #premium(userId: string, at: number): Delivery[] {
    const own = this.sent.filter((delivery) => delivery.userId === userId);
    if (own.some((delivery) => !this.acknowledged.has(delivery))) return [];
    const revoked = new Set(own.flatMap(({ order }) => (order?.isRevoked ? [order.id] : [])));
    const active = own.flatMap(({ order }) => (order === undefined || revoked.has(order.id) ? [] : [order.id]));
    const isRevoked = active.length > 0 && this.#random() < 0.6;
    const id = (isRevoked ? pick(active, this.#random) : undefined) ?? `order-${userId}-${own.length}`;
    const event = isRevoked ? 'subscription.revoked' : 'premium_purchase';
    const body = JSON.stringify({ event, buyer: { userId }, orderId: id, timestamp: new Date(at).toISOString() });
    return [{ userId, family: 'premium', body, firstOutcome: 'recorded', order: { id, isRevoked } }];
  }
}

function voteOf(userId: string, listing: 'harbour' | 'pier', at: number, creditsAwarded: number | null): Delivery {
  const event = listing === 'harbour' ? 'server_vote' : 'bot_vote';
  const body = JSON.stringify({
    ...{ event, userId, timestamp: new Date(at).toISOString() },
    creditsAwarded: creditsAwarded ?? undefined,
  });
  return { userId, family: 'vote', body, firstOutcome: 'recorded', vote: { listing, at, creditsAwarded } };
}

/** The votes of the regulars on past days, of which they missed one in four. */
function pastVotes(random: () => number): Delivery[] {
  return regulars.flatMap((userId) =>
    Array.from({ length: past.days }, (_, number) => past.firstAt + number * day)
      .filter(() => random() > 0.25)
      .flatMap((at) => [voteOf(userId, 'harbour', at, null), voteOf(userId, 'pier', at + hour, null)]),
  );
}

export function pick<Item>(items: readonly Item[], random: () => number): Item | undefined {
  return items[Math.floor(random() * items.length)];
}

export function shuffle<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}
