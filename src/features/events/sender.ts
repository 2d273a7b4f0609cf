import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import type { Clock } from '@tallyhook/platform/clock';
import { day, hour, minute, second } from '@tallyhook/platform/durations';
import { listOf } from '@tallyhook/platform/json';
import { once } from '@tallyhook/platform/memoize';
import { parseRetryAfter } from '@tallyhook/platform/retry-after';
import { readVersion } from '@tallyhook/platform/version';
import { createConnections, post, unanswered } from '@tallyhook/platform/webhooks/post';
import { standardHeaders } from '@tallyhook/platform/webhooks/standard-webhooks';
import {
  checkTarget,
  RejectedTargetError,
  type TargetPolicy,
  type TargetProblem,
  type WebhookTarget,
} from '@tallyhook/platform/webhooks/target';
import { TimeoutError, withTimeout } from '@tallyhook/platform/with-timeout';
import type { CommunityId } from '../../core/ledger/account.ts';
import type { Metrics } from '../../core/metrics.ts';
import type { Effect } from '../../core/outbox/effect-kind.ts';
import { handle, type RetryPolicy } from '../../core/outbox/perform.ts';
import { laneOfQueue, parseQueue } from '../../core/outbox/queue.ts';
import type { Community, Directory } from '../communities/feature.ts';
import type { Settings } from '../settings/feature.ts';
import { type OutgoingEvent, outgoingEvent, type WebhookEndpoint, webhookEndpoints, webhookKind } from './event.ts';
import { hostOf, webhooks } from './settings.ts';
import type { EventStore, WebhookAttempt } from './store.ts';

/** Timeout of one request, until the end of the response (ms). The lease of an effect takes 20 s. */
const responseTimeoutMs = 15 * second;
/** Longest query for the host of an endpoint (ms); together with a request shorter than the lease. */
const resolveTimeoutMs = 4 * second;
/** An endpoint whose failures take longer holds up the requests of its community (ms). */
const slowFailureMs = 5 * second;
/** Requests to one endpoint at one time, unless it is slow to fail. */
export const requestsPerEndpoint = 8;
/** Upper bound for `Retry-After` (ms). */
const maxRetryAfterMs = day;
const gone = 410;

/** After each failed attempt (ms); after the last one, the event is buried, and can be sent again by hand. */
const delays = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];
const retrySchedule: RetryPolicy = ({ attempts }) => delays[attempts - 1] ?? 'bury';

interface SenderOptions {
  readonly store: { readonly events: EventStore };
  readonly directory: Pick<Directory, 'communities'>;
  readonly targets: TargetPolicy;
  /** Where an endpoint that is gone is removed from; without it, one is paused. */
  readonly settings?: Pick<Settings, 'read' | 'save'>;
  readonly metrics: Pick<Metrics, 'counter'>;
  readonly clock: Clock;
}

const userAgent = once(() => `tallyhook/${readVersion()} (+webhooks)`);

/** A request to an endpoint with its answer. `retryAfterMs`: what the endpoint asks for; null if it does not. */
type SentRequest = Omit<WebhookAttempt, 'id'> & { readonly retryAfterMs: number | null };

/**
 * Sends events to the endpoints of communities, signed as https://www.standardwebhooks.com says. Each request is stored. An
 * endpoint that fails for five days is paused, and one that answers 410 is removed from the settings; one of a file, which
 * cannot be, is paused.
 */
export class WebhookSender {
  readonly #options: SenderOptions;
  readonly #connections = createConnections();
  readonly #count: (endpoint: string, isAccepted: boolean) => void;
  /** The queues of endpoints whose last request was accepted, or has failed quickly. */
  readonly #responsive = new Set<string>();

  constructor(options: SenderOptions) {
    this.#options = options;
    const requests = options.metrics.counter({
      name: 'tallyhook_webhook_requests_total',
      help: 'Requests to endpoints that hear of events, by id of the endpoint and outcome (accepted, failed).',
      labels: ['endpoint', 'outcome'],
    });
    this.#count = (endpoint, isAccepted) => requests.inc({ endpoint, outcome: isAccepted ? 'accepted' : 'failed' });
  }

  /** Carries out the effects of endpoints. */
  readonly handler = handle(webhookKind, (effect) => this.#perform(effect), retrySchedule);

  /** True if a queue is that of an endpoint that may hang: it must not take the requests that others need. */
  readonly mayHang = (queue: string): boolean => laneOfQueue(queue) === 'webhooks' && !this.#responsive.has(queue);

  /**
   * Sends a test, once, and returns what became of it; null if the community has no endpoint with this id.
   */
  async test(communityId: CommunityId, endpointId: string): Promise<Omit<WebhookAttempt, 'id'> | null> {
    const { community, endpoint } = this.#find(communityId, endpointId);
    if (community === undefined || endpoint === undefined) return null;
    const now = this.#options.clock.now();
    const test = { type: 'webhook.test', data: { at: new Date(now).toISOString() } } as const;
    const { retryAfterMs: _retryAfterMs, ...sent } = await this.#send(endpoint, outgoingEvent(community, test, now));
    await this.#store(community, endpoint, sent);
    return sent;
  }

  /** Why an address is rejected now; null if events can be sent to it. */
  async check(address: string): Promise<TargetProblem | null> {
    const target = await this.#target(address);
    return target instanceof RejectedTargetError ? target.problem : null;
  }

  /** Ends requests in progress, whose effects are tried again later. */
  close(): void {
    this.#connections.close();
  }

  async #perform({ queue, content, attempts }: Effect<OutgoingEvent>): Promise<AttemptResult> {
    const { communityId, id } = parseQueue(queue);
    const { community, endpoint } = this.#find(communityId, id);
    if (community === undefined || endpoint === undefined)
      return { outcome: 'bury', reason: 'The endpoint was removed.' };
    const state = await this.#options.store.events.endpointState({ communityId, endpoint: id });
    if (state?.pausedAt != null) return { outcome: 'bury', reason: `The endpoint is paused: ${state.reason}` };
    // They may be encrypted with a key that this process does not have. What is not signed is not sent.
    if (endpoint.secrets.length === 0)
      return { outcome: 'later', reason: 'The secrets of the endpoint cannot be read.', scope: 'effects' };
    const { retryAfterMs, ...sent } = await this.#send(endpoint, content);
    if (sent.status === null && this.#connections.isClosed())
      return { outcome: 'later', reason: 'The process is stopping.', scope: 'effects', retryAfterMs: 0 };
    if (sent.error === null || sent.durationMs < slowFailureMs) this.#responsive.add(queue);
    else this.#responsive.delete(queue);
    const isPaused = await this.#store(community, endpoint, sent);
    if (sent.error === null) return { outcome: 'done' };
    if (isPaused) return { outcome: 'bury', reason: `The endpoint is paused: ${sent.error}` };
    const delayMs = delays[attempts - 1];
    const later = { outcome: 'later', reason: sent.error, scope: 'effects' } as const;
    return retryAfterMs !== null && delayMs !== undefined && retryAfterMs > delayMs
      ? { ...later, retryAfterMs }
      : later;
  }

  #find(communityId: CommunityId, endpointId: string) {
    const community = this.#options.directory.communities.find(({ id }) => id === communityId);
    const endpoints = community === undefined ? [] : endpointsOf(community);
    return { community, endpoint: endpoints.find(({ id }) => id === endpointId) };
  }

  async #target(url: string): Promise<WebhookTarget | RejectedTargetError> {
    const { clock, targets } = this.#options;
    try {
      return await withTimeout(resolveTimeoutMs, clock, checkTarget(url, targets));
    } catch (error) {
      if (error instanceof RejectedTargetError) return error;
      if (error instanceof TimeoutError) return new RejectedTargetError({ name: 'unresolved', host: hostOf(url) });
      throw error;
    }
  }

  async #send({ id: endpoint, url, secrets }: WebhookEndpoint, event: OutgoingEvent): Promise<SentRequest> {
    const { clock } = this.#options;
    const at = clock.now();
    const startedAt = clock.monotonic();
    const body = JSON.stringify(event);
    const headers = {
      'user-agent': userAgent(),
      ...standardHeaders({ id: event.data.id, body }, secrets, at),
    };
    const options = { clock, timeoutMs: responseTimeoutMs, connections: this.#connections };
    const target = await this.#target(url);
    const outcome =
      target instanceof RejectedTargetError ? unanswered(target.message) : await post(target, body, headers, options);
    const error = outcome.status === null ? outcome.error : statusError(outcome.status);
    this.#count(endpoint, error === null);
    const retryAt = outcome.retryAfter === null ? null : parseRetryAfter(outcome.retryAfter, clock.now());
    return {
      ...{ eventId: event.data.id, type: event.type, at, durationMs: Math.round(clock.monotonic() - startedAt) },
      ...{ status: outcome.status, error, response: outcome.responseBody },
      retryAfterMs: retryAt === null ? null : Math.min(Math.max(0, retryAt - clock.now()), maxRetryAfterMs),
    };
  }

  async #store(community: Community, endpoint: WebhookEndpoint, sent: Omit<WebhookAttempt, 'id'>): Promise<boolean> {
    const { id: communityId, ownerChannelId, guildId } = community;
    const { id, url } = endpoint;
    const isGone = sent.status === gone;
    const key = { communityId, endpoint: id };
    const details = { isGone, host: hostOf(url), ownerChannelId };
    const isPaused = await this.#options.store.events.attempted(key, sent, details);
    if (isGone && guildId !== null && (await this.#remove(guildId, endpoint, sent.eventId)))
      await this.#options.store.events.forgetFailures(key);
    return isPaused;
  }

  /** Returns false if it is not among the settings that are stored, or somebody changes them now. */
  async #remove(guildId: string, { url }: WebhookEndpoint, eventId: string): Promise<boolean> {
    const { settings } = this.#options;
    if (settings === undefined) return false;
    const { version, values } = await settings.read(guildId);
    const { source, value } = values[webhooks.path];
    if (source !== 'setup') return false;
    const others = listOf(value).filter((each) => each['url'] !== url);
    const change = { listing: null, path: webhooks.path, value: others };
    const author = { guildId, authorId: 'tallyhook', interactionId: `webhook gone ${eventId}` };
    const { status } = await settings.save({ ...author, basis: version, changes: [change] });
    return status === 'saved';
  }
}

/** The endpoints of a community in effect. */
export function endpointsOf({ listings }: Pick<Community, 'listings'>): readonly WebhookEndpoint[] {
  // Its listings share them.
  const [first] = listings;
  return first === undefined ? [] : webhookEndpoints.in(first);
}

/** Why the status is a failure; null for any 2xx. */
function statusError(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400)
    return `The endpoint returned ${status}; redirects are not followed. Enter the final URL.`;
  if (status === gone) return 'The endpoint returned 410 Gone.';
  return `The endpoint returned ${status}.`;
}
