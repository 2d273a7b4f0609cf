import type { Clock } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import { TimeoutError, withTimeout } from '@tallyhook/platform/with-timeout';
import type { QueueName } from '../../core/outbox/queue.ts';
import type { Rule } from '../../core/settings/value-schemas.ts';
import type { BudgetStore } from '../../lookup/budget.ts';
import type { Directory } from '../communities/feature.ts';
import { endpointQueue, type WebhookEndpoint } from './event.ts';
import { endpointsOf, type WebhookSender } from './sender.ts';
import { hostOf, targetRule } from './settings.ts';
import type { EndpointKey, EndpointState, EventStore, WebhookAttempt } from './store.ts';

/** Tests that a guild can send in a minute. */
const maxTests = 10;
/** A command has 15 s; what takes longer is among the attempts (ms). */
const testWaitMs = 11 * second;
/** Most rounds of 500 events each, so that a manager does not wait for long. */
const maxRounds = 20;

export type TestResult =
  | { readonly status: 'sent'; readonly attempt: Omit<WebhookAttempt, 'id'> }
  /** `waiting`: there is no response yet. */
  | { readonly status: 'waiting' | 'tooMany' };

export interface ListedEndpoint {
  readonly id: string;
  readonly host: string;
  /** Null for all events. */
  readonly events: readonly string[] | null;
  /** Null while it has none. */
  readonly failure: EndpointState | null;
}

interface EndpointsContext {
  readonly store: { readonly events: EventStore; readonly budgetStore: BudgetStore };
  readonly directory: Pick<Directory, 'ofGuild'>;
  readonly webhookSender: Pick<WebhookSender, 'test' | 'check'>;
  readonly nudge: (queues: readonly QueueName[]) => void;
  readonly clock: Clock;
  readonly stopwatch: Clock;
}

/**
 * Access to the endpoints of a guild for those who manage it, apart from settings. Methods with an id return null for
 * an endpoint that is not of the guild.
 */
export class EndpointAccess {
  readonly #context: EndpointsContext;

  constructor(context: EndpointsContext) {
    this.#context = context;
  }

  /** Why the address cannot receive events; null if it can. */
  async check(address: string): Promise<Rule | null> {
    const problem = await this.#context.webhookSender.check(address);
    return problem && targetRule(problem);
  }

  /** The endpoints that fail or are paused, by their ids. */
  async states(guildId: string | null): Promise<ReadonlyMap<string, EndpointState>> {
    const community = this.#context.directory.ofGuild(guildId);
    if (community === undefined) return new Map();
    const failing = await this.#context.store.events.failingEndpoints(community.id);
    return new Map(failing.map((state) => [state.endpoint, state]));
  }

  /** The endpoints with their states, without their addresses, whose paths may be secret. */
  async list(guildId: string | null): Promise<readonly ListedEndpoint[]> {
    const community = this.#context.directory.ofGuild(guildId);
    const states = await this.states(guildId);
    return (community === undefined ? [] : endpointsOf(community)).map(({ id, url, events }) => {
      return { id, host: hostOf(url), events, failure: states.get(id) ?? null };
    });
  }

  /** The newest requests, and the host that they are sent to. */
  attempts(
    guildId: string | null,
    id: string,
    limit: number,
  ): Promise<{ readonly host: string; readonly attempts: readonly WebhookAttempt[] } | null> {
    const { events } = this.#context.store;
    return this.#of(guildId, id, async (key, { url }) => {
      return { host: hostOf(url), attempts: await events.attempts(key, { limit, before: null }) };
    });
  }

  test(guildId: string | null, id: string): Promise<TestResult | null> {
    const { store, webhookSender, clock, stopwatch } = this.#context;
    return this.#of(guildId, id, async ({ communityId }): Promise<TestResult | null> => {
      const counted = await store.budgetStore.acquire(`webhook tests ${guildId}`, clock.now(), minute, maxTests);
      if (!counted.granted) return { status: 'tooMany' };
      try {
        const attempt = await withTimeout(testWaitMs, stopwatch, webhookSender.test(communityId, id));
        return attempt && { status: 'sent', attempt };
      } catch (error) {
        if (error instanceof TimeoutError) return { status: 'waiting' };
        throw error;
      }
    });
  }

  /** Has it tried again if it is paused. */
  resume(guildId: string | null, id: string): Promise<void | null> {
    return this.#of(guildId, id, (key) => this.#context.store.events.forgetFailures(key));
  }

  /** Has what failed for good sent again. Returns how many events. */
  resend(guildId: string | null, id: string): Promise<number | null> {
    const { store, clock, nudge } = this.#context;
    return this.#of(guildId, id, async (key) => {
      let sent = 0;
      for (let round = 1, more = 1; more > 0 && round <= maxRounds; round += 1, sent += more)
        more = await store.events.resend(key, 0, clock.now());
      if (sent > 0) nudge([endpointQueue(key.communityId, id)]);
      return sent;
    });
  }

  async #of<Result>(
    guildId: string | null,
    id: string,
    use: (key: EndpointKey, endpoint: WebhookEndpoint) => Promise<Result>,
  ): Promise<Result | null> {
    const community = this.#context.directory.ofGuild(guildId);
    if (community === undefined) return null;
    const endpoint = endpointsOf(community).find((each) => each.id === id);
    return endpoint === undefined ? null : use({ communityId: community.id, endpoint: id }, endpoint);
  }
}
