import { randomUUID } from 'node:crypto';
import type { Clock } from '@tallyhook/platform/clock';
import type { Query, SqlDialect } from '@tallyhook/platform/database/dialect';
import { boundQuery, type PlaceholderFor } from '@tallyhook/platform/database/prepared-query';
import { sql as expression, type RawBuilder } from 'kysely';
import type { Database } from '../database.ts';
import type { Row } from '../tables.ts';
import { deliveryOfRow, webhookName } from './deliveries.ts';
import { type SendableDelivery, webhookOfRow } from './webhooks.ts';

/** The bounds of a claim: at most `limit` deliveries due at `now`, leased until `leaseUntil` (ms since the epoch). */
export interface Claim {
  readonly now: number;
  readonly leaseUntil: number;
  readonly limit: number;
  /** How many deliveries of a webhook at most, unless it is in `capacities`. */
  readonly maxPerWebhook: number;
  /** By {@link webhookName}, how many more deliveries a webhook may have. */
  readonly capacities: Readonly<Record<string, number>>;
}

export interface Claimed {
  readonly deliveries: readonly SendableDelivery[];
  /** True if another claim may find more. */
  readonly hasMore: boolean;
  /**
   * When a delivery becomes due or a lease ends, or when to claim again because some that are due were not searched (ms
   * since the epoch); null if nothing is going to be due.
   */
  readonly dueAt: number | null;
}

/** Deliveries that are read in the order of their due times before the webhooks are searched one by one. */
const maxHeads = 256;
/** The search takes at most a fifth of the time: it takes longer the more webhooks there are with waiting deliveries. */
const searchPause = 4;

interface ClaimArguments extends Omit<Claim, 'capacities'> {
  readonly leaseId: string;
  /** How many of each webhook are read when the webhooks are searched one by one. */
  readonly maxOfEach: number;
  readonly capacities: string;
}
type Argument = PlaceholderFor<ClaimArguments>;
type Statement = (values: ClaimArguments) => Query;

/** The deliveries that wait, which processes claim with statements that are compiled once. */
export class DeliveryQueue {
  readonly #database: Database;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #statements: Readonly<Record<'oldest' | 'each' | 'webhooks' | 'left' | 'dueAt', Statement>>;
  /** True if the oldest that are due could not be claimed, and hide others. */
  #isMoreHidden = false;
  /** The capacities with which none of them could be claimed: as long as they are the same, none can. */
  #fullWith: string | null = null;
  /** When the webhooks may be searched again (ms, monotonic), and how long that takes (ms). */
  #searchAt = 0;
  #searchMs = Number.POSITIVE_INFINITY;

  constructor(database: Database, clock: Pick<Clock, 'monotonic'>) {
    this.#database = database;
    this.#clock = clock;
    const { dialect } = database;
    const prepare = (build: (argument: Argument) => RawBuilder<unknown>): Statement =>
      boundQuery<ClaimArguments>()((argument) => ({ compile: () => build(argument).compile(database) }));
    this.#statements = {
      oldest: prepare((argument) => claimFrom(dialect, argument, oldestDue(argument))),
      each: prepare((argument) => claimFrom(dialect, argument, oldestOfEach(dialect, argument))),
      webhooks: prepare(claimedWebhooks),
      left: prepare(leftDue),
      dueAt: prepare(nextDueAt),
    };
  }

  /**
   * Claims deliveries that are due: those that have been due for the longest time, or if those all have to wait for
   * others of their webhooks, the first of each other webhook. Deliveries of paused webhooks and with another lease are
   * left out.
   */
  async claim(claim: Claim): Promise<Claimed> {
    const capacities = JSON.stringify(claim.capacities);
    const waitMs = Math.max(0, this.#searchAt - this.#clock.monotonic());
    if (this.#isMoreHidden && waitMs === 0) return this.#search(claim);
    const searchAt = claim.now + Math.ceil(waitMs);
    if (this.#fullWith === capacities) return { deliveries: [], hasMore: false, dueAt: searchAt };
    const oldest = await this.#claimWith('oldest', claim);
    this.#isMoreHidden = oldest.hasMore;
    if (!oldest.hasMore || oldest.deliveries.length > 0) return oldest;
    if (waitMs === 0) return this.#search(claim);
    this.#fullWith = capacities;
    return { ...oldest, hasMore: false, dueAt: Math.min(searchAt, oldest.dueAt ?? searchAt) };
  }

  async #search(claim: Claim): Promise<Claimed> {
    this.#isMoreHidden = false;
    this.#fullWith = null;
    const startedAt = this.#clock.monotonic();
    const each = await this.#claimWith('each', claim);
    const tookMs = this.#clock.monotonic() - startedAt;
    // That of the fastest of the last, because some have also waited for other transactions.
    this.#searchMs = Math.min(tookMs, this.#searchMs * 1.2);
    this.#searchAt = startedAt + tookMs + searchPause * this.#searchMs;
    return { ...each, hasMore: each.deliveries.length > 0 };
  }

  /** In one transaction, so that nothing becomes due between the claim and reading when it does. */
  async #claimWith(which: 'oldest' | 'each', claim: Claim): Promise<Claimed> {
    const leaseId = randomUUID();
    const known = Object.keys(claim.capacities).length;
    const maxOfEach = Math.max(claim.maxPerWebhook, Math.floor(claim.limit / (known + 1)));
    const values = { ...claim, leaseId, maxOfEach, capacities: JSON.stringify(claim.capacities) };
    const { [which]: claiming, webhooks, left, dueAt } = this.#statements;
    const results = await this.#database.batch([claiming, webhooks, left, dueAt].map((bind) => bind(values)));
    const [deliveryRows, webhookRows, [rest], [next]] = results as [
      Row<'deliveries'>[],
      Row<'webhooks'>[],
      [{ count: number }],
      [{ at: number | null }],
    ];
    const webhookOf = new Map(webhookRows.map(webhookOfRow).map((webhook) => [webhookName(webhook), webhook]));
    const deliveries = deliveryRows.map(deliveryOfRow).flatMap((delivery) => {
      const webhook = webhookOf.get(webhookName(delivery));
      return webhook === undefined ? [] : [{ ...delivery, leaseId, webhook }];
    });
    const hasMore = deliveries.length < claim.limit && rest.count > 0 && rest.count + deliveries.length > maxHeads;
    return { deliveries, hasMore, dueAt: next.at };
  }
}

function isFree(argument: Argument): RawBuilder<boolean> {
  const now = argument('now');
  return expression`state = 'waiting' and next_attempt_at <= ${now} and (leased_until is null or leased_until <= ${now})`;
}

/** The rows that have been due for the longest time, of whatever webhook. */
function oldestDue(argument: Argument): RawBuilder<unknown> {
  return expression`
    select listing_id, family, id, next_attempt_at,
      row_number() over (partition by listing_id, family order by next_attempt_at, id) as place
    from (
      select listing_id, family, id, next_attempt_at from deliveries
      where ${isFree(argument)} order by next_attempt_at limit ${expression.lit(maxHeads)}
    ) as due`;
}

/**
 * The first rows of each webhook. It jumps from webhook to webhook in an index, so it does not read the rows that have
 * to wait for the others of their webhook, however many there are.
 */
function oldestOfEach({ name }: SqlDialect, argument: Argument): RawBuilder<unknown> {
  const first = expression`
    select id from deliveries
    where listing_id = queues.listing_id and family = queues.family and ${isFree(argument)}
    order by next_attempt_at limit ${argument('maxOfEach')}`;
  const places =
    name === 'sqlite'
      ? expression`
        (select listing_id, family, each.value as id, each.key + 1 as place
        from queues, json_each((select json_group_array(id) from (${first}))) as each)`
      : expression`
        (select listing_id, family, id, place
        from queues, unnest(array(${first})) with ordinality as each (id, place))`;
  return expression`
    with recursive queues (listing_id, family) as (
      select * from (
        select listing_id, family from deliveries where state = 'waiting' order by listing_id, family limit 1
      ) as first
      union all
      select following.listing_id, following.family from queues
      join deliveries as following on following.id = coalesce(
        (
          select id from deliveries
          where state = 'waiting' and listing_id = queues.listing_id and family > queues.family
          order by family limit 1
        ),
        (
          select id from deliveries where state = 'waiting' and listing_id > queues.listing_id
          order by listing_id, family limit 1
        )
      )
    )
    select places.*, deliveries.next_attempt_at from ${places} as places join deliveries using (id)`;
}

function claimFrom({ name }: SqlDialect, argument: Argument, heads: RawBuilder<unknown>): RawBuilder<unknown> {
  // Another process may claim the same rows at the same time: then each gets those that the other has not locked.
  const skipLocked = name === 'postgres' ? expression`for update skip locked` : expression``;
  return expression`
    update deliveries set leased_until = ${argument('leaseUntil')}, lease_id = ${argument('leaseId')} where id in (
      select id from deliveries where ${isFree(argument)} and id in (
        select heads.id from (${heads}) as heads
        join webhooks on webhooks.listing_id = heads.listing_id and webhooks.family = heads.family
        where webhooks.paused_at is null and heads.place <= ${capacity(name, argument)}
        order by heads.place, heads.next_attempt_at limit ${argument('limit')}
      ) ${skipLocked}
    )
    returning *`;
}

function capacity(name: SqlDialect['name'], argument: Argument): RawBuilder<number> {
  const json = argument('capacities');
  const capacities = name === 'postgres' ? expression`cast(${json} as jsonb)` : expression`${json}`;
  const known = expression`cast(${capacities} ->> (heads.listing_id || ' ' || heads.family) as bigint)`;
  return expression`coalesce(${known}, ${argument('maxPerWebhook')})`;
}

function claimedWebhooks(argument: Argument): RawBuilder<unknown> {
  return expression`
    select * from webhooks where (listing_id, family) in (
      select listing_id, family from deliveries
      where leased_until = ${argument('leaseUntil')} and lease_id = ${argument('leaseId')}
    )`;
}

/** How many are due and not claimed, up to one more than the oldest that a claim considers. */
function leftDue(argument: Argument): RawBuilder<unknown> {
  return expression`
    select count(*) as count from (
      select 1 from deliveries where ${isFree(argument)} order by next_attempt_at limit ${expression.lit(maxHeads + 1)}
    ) as free`;
}

/** The first time after `now` when a delivery becomes due or a lease ends. */
function nextDueAt(argument: Argument): RawBuilder<unknown> {
  const now = argument('now');
  return expression`
    select min(at) as at from (
      select min(next_attempt_at) as at from deliveries where state = 'waiting' and next_attempt_at > ${now}
      union all
      select min(leased_until) from deliveries where leased_until is not null and leased_until > ${now}
    ) as times`;
}
