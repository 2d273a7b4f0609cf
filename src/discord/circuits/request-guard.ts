import type { RetryLater } from '@tallyhook/platform/attempt-result';
import type { Clock } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { createLoop, type WakeableLoop } from '@tallyhook/platform/loop';
import { createThrottledLog, type LogThrottled } from '@tallyhook/platform/throttled-log';
import { plainName } from '@tallyhook/platform/truncate';
import { channelErrorReason, rejectionOf, retryAfterFailure } from '../discord-errors.ts';
import type { GuildChange } from '../gateway/guild-changes.ts';
import { RequestsPausedError, windowMinutes } from '../rate-limit.ts';
import {
  type CircuitRequest,
  type CircuitStore,
  Circuits,
  type GuildRejections,
  type OpenCircuit,
} from './circuits.ts';

/** How often changes are stored, and those of other processes are read while there are any. */
const syncEveryMs = 5 * second;
/** How often they are read while there are none. */
const idleSyncEveryMs = 30 * second;
/** How long the effects of a paused guild wait before another look. */
const guildPauseMs = 30 * second;
const maxReasonLength = 300;

export interface GuardedRequest {
  readonly method: 'get' | 'post' | 'patch' | 'put' | 'delete';
  readonly route: string;
  readonly hasFiles: boolean;
}

/** The stored counts of the last ten minutes. @param now ms since the epoch */
export function recentRejections(store: CircuitStore, now: number): Promise<readonly GuildRejections[]> {
  const current = Math.floor(now / minute);
  return store.rejections(current - windowMinutes, current + windowMinutes);
}

interface RequestGuardOptions {
  readonly store: CircuitStore;
  /** The guild of a configured channel; null if it is not known. */
  readonly guildOfChannel: (channelId: string) => string | null;
  /** All rejected requests of the last ten minutes. */
  readonly invalidRequests: () => number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Keeps requests back that Discord would reject, so that no guild can use up what Discord tolerates of all. */
export class RequestGuard {
  readonly #options: RequestGuardOptions;
  readonly #circuits: Circuits;
  readonly #stopping = new AbortController();
  readonly #logThrottled: LogThrottled;
  readonly #loop: WakeableLoop;
  /** Rejected requests by guild, of all processes and of this one that are not stored yet. */
  #stored = new Map<string, number>();
  #pending = new Map<string, number>();
  #pausedGuilds: ReadonlySet<string> = new Set();
  #nextReadAt = Number.NEGATIVE_INFINITY;
  #onProbeDue: (target: string) => void = () => {};

  constructor(options: RequestGuardOptions) {
    const { clock, log } = options;
    this.#options = options;
    this.#circuits = new Circuits(clock, (target) => this.#onProbeDue(target));
    this.#logThrottled = createThrottledLog({
      ...{ log, clock, flushUntil: this.#stopping.signal },
      intervalMs: minute,
      maxMessages: 10,
    });
    this.#loop = createLoop({
      round: () => this.#syncIfNeeded(),
      pauseMs: syncEveryMs,
      onError: (error) => {
        const reason = messageOf(error);
        this.#logThrottled('warn', 'sync', 'rejected requests could not be stored', { reason });
      },
      clock,
    });
  }

  /** What Discord rejects. */
  get open(): readonly OpenCircuit[] {
    return this.#circuits.open;
  }

  get pausedGuilds(): ReadonlySet<string> {
    return this.#pausedGuilds;
  }

  /** How many channels and roles Discord rejects. */
  count(): { readonly channels: number; readonly roles: number } {
    const roles = this.open.filter(({ target }) => target.startsWith(`${roleKind} `)).length;
    return { channels: this.open.length - roles, roles };
  }

  /** Before each request. @throws CircuitOpenError, or RequestsPausedError for a guild that is paused */
  admit(request: GuardedRequest): void {
    const target = this.#circuitRequest(request);
    if (target === null) return;
    if (target.guildId !== null && this.#pausedGuilds.has(target.guildId)) {
      throw new RequestsPausedError(guildPauseMs, target.guildId);
    }
    this.#circuits.admit(target);
  }

  accepted(request: GuardedRequest): void {
    const target = this.#circuitRequest(request);
    if (target === null || !this.#circuits.accepted(target)) return;
    const { guildId: guild } = target;
    this.#logThrottled('info', 'accepted', 'Discord accepts requests again', { target: target.target, guild });
  }

  /** Returns the error to throw instead. */
  rejected(request: GuardedRequest, error: unknown): unknown {
    const rejection = rejectionOf(error);
    if (rejection === null) return error;
    const guildId = this.#guildOf(request.route);
    if (guildId !== null && rejection.status === 403) this.#countRejection(guildId);
    const target = this.#circuitRequest(request);
    if (target === null) return error;
    const wasOpen = this.open.length;
    const result = this.#circuits.rejected(target, rejection, () => describeRejection(request.route, rejection));
    if (this.open.length > wasOpen) {
      const fields = { target: target.target, guild: guildId, reason: result.message };
      const message = 'Discord rejects a channel or role; one request a minute tries it again';
      this.#logThrottled('warn', 'rejected', message, fields);
    }
    return result;
  }

  /** When to send requests to this target, of which Discord would reject all now; null if they are to be sent. */
  check(target: string): RetryLater | null {
    const error = this.#circuits.check(target);
    return error === null || error.isFinal ? null : retryAfterFailure(error);
  }

  /** Replaces the reason of an open circuit by a better explanation, and says whether nobody can end it. */
  explain(target: string, reason: string, isFinal: boolean): void {
    this.#circuits.explain(target, reason, isFinal);
  }

  /** Lets the next request about what a change may concern be sent at once. */
  changed({ guildId, channelId }: GuildChange): void {
    this.#expedite((circuit) => (channelId === null ? circuit.guildId === guildId : circuit.target === channelId));
  }

  /** Lets the next request to a target be sent at once; that of all roles of a guild is the beginning of theirs. */
  replayed(target: string): void {
    this.#expedite((circuit) => circuit.target === target || circuit.target.startsWith(`${target} `));
  }

  /** Sets what is called with targets that need not wait any longer. Must not throw. */
  onProbeDue(onDue: (target: string) => void): void {
    this.#onProbeDue = onDue;
  }

  /** Reads what is stored. Rejects as the store does. */
  async load(): Promise<void> {
    const { store, clock } = this.#options;
    this.#circuits.merge(await store.all());
    const rejections = await recentRejections(store, clock.now());
    this.#stored = new Map(rejections.map(({ guildId, count }) => [guildId, count]));
    this.#pauseGuilds();
  }

  start(): void {
    this.#loop.start();
  }

  /** Stores what has changed. Never rejects. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop.stop();
    await this.#sync().catch(() => {});
  }

  async #syncIfNeeded(): Promise<void> {
    const { clock } = this.#options;
    const isCounting = this.#pending.size > 0 || this.#stored.size > 0;
    const isBusy = isCounting || this.#circuits.hasChanges || this.open.length > 0;
    if (!isBusy && clock.monotonic() < this.#nextReadAt) return;
    this.#nextReadAt = clock.monotonic() + idleSyncEveryMs;
    await this.#sync();
  }

  async #sync(): Promise<void> {
    const { store, clock } = this.#options;
    const counts = [...this.#pending].map(([guildId, count]) => ({ guildId, count }));
    this.#pending = new Map();
    const changes = this.#circuits.takeChanges();
    try {
      if (counts.length > 0) await store.addRejections(Math.floor(clock.now() / minute), counts);
      counts.length = 0;
      if (changes.saved.length + changes.closed.length > 0) await store.save(changes.saved, changes.closed);
    } catch (error) {
      for (const { guildId, count } of counts) this.#pending.set(guildId, (this.#pending.get(guildId) ?? 0) + count);
      this.#circuits.returnChanges(changes);
      throw error;
    }
    await this.load();
  }

  /** So that the other processes find out soon. */
  #expedite(isAffected: (circuit: OpenCircuit) => boolean): void {
    if (this.#circuits.expedite(isAffected)) this.#loop.wake();
  }

  #circuitRequest({ method, route, hasFiles }: GuardedRequest): CircuitRequest | null {
    const target = method === 'get' ? null : targetOf(route);
    return target && { target: target.target, guildId: this.#guildOf(route), hasFiles };
  }

  /** Null for a route that concerns no guild, and for a channel that is not configured. */
  #guildOf(route: string): string | null {
    const [, top, id = ''] = route.split('/');
    if (top === 'channels') return this.#options.guildOfChannel(id);
    return top === 'guilds' ? id : null;
  }

  #rejectionsOf(guildId: string): number {
    return (this.#stored.get(guildId) ?? 0) + (this.#pending.get(guildId) ?? 0);
  }

  #countRejection(guildId: string): void {
    this.#pending.set(guildId, (this.#pending.get(guildId) ?? 0) + 1);
    if (this.#rejectionsOf(guildId) >= maxRejectionsOfGuild) this.#pauseGuilds();
  }

  #pauseGuilds(): void {
    const guildIds = [...new Set([...this.#stored.keys(), ...this.#pending.keys()])];
    const counts = guildIds.map((guildId) => ({ guildId, count: this.#rejectionsOf(guildId) }));
    const paused = guildsToPause(counts, this.#options.invalidRequests());
    for (const guild of paused) {
      if (this.#pausedGuilds.has(guild)) continue;
      const message = 'a guild is paused, because Discord rejects too many of its requests';
      this.#logThrottled('error', 'guild', message, { guild, inTenMinutes: this.#rejectionsOf(guild) });
    }
    this.#pausedGuilds = paused;
  }
}

function describeRejection(route: string, error: Parameters<typeof channelErrorReason>[0]): string {
  const target = targetOf(route);
  if (target?.kind === 'channel') return channelErrorReason(error, target.id);
  return plainName(`Discord rejects role ${target?.id ?? ''}: ${error.message}`, maxReasonLength);
}

const roleKind = 'role';

/** The target of the changes of one role of a guild. */
export function roleTarget(guildId: string, roleId: string): string {
  return `${roleKind} ${guildId} ${roleId}`;
}

/**
 * What a request changes and Discord can reject as a whole: `target` is the id of a channel, or {@link roleTarget}; null
 * for all other requests.
 * @param route without the version, as `Routes` returns it
 */
function targetOf(
  route: string,
): { readonly target: string; readonly kind: 'channel' | 'role'; readonly id: string } | null {
  const [, top, id = '', part, , last, roleId] = route.split('/');
  if (top === 'channels' && part === 'messages') return { target: id, kind: 'channel', id };
  if (top !== 'guilds' || part !== 'members' || last !== 'roles' || roleId === undefined) return null;
  return { target: roleTarget(id, roleId), kind: 'role', id: roleId };
}

/** Nothing more is sent for a guild with this many rejected requests in ten minutes. */
export const maxRejectionsOfGuild = 500;
/** From this number on, of all guilds together, those with the most are paused although each has less. */
const maxRejectionsOfAll = 5_000;
/** What the guilds that are not paused may then have caused together. */
const maxRejectionsOfUnpaused = 2_500;

/**
 * The guilds that cause so many rejected requests that Discord might block the bot for all others.
 * @param counts of the last ten minutes, one of each guild
 * @param total the rejected requests of the same time, also those of no guild
 */
export function guildsToPause(counts: readonly GuildRejections[], total: number): ReadonlySet<string> {
  const descending = counts.toSorted((a, b) => b.count - a.count);
  let rest = counts.reduce((sum, { count }) => sum + count, 0);
  const paused = new Set<string>();
  for (const { guildId, count } of descending) {
    const isTooMuchInAll = total >= maxRejectionsOfAll && rest > maxRejectionsOfUnpaused;
    if (count < maxRejectionsOfGuild && !isTooMuchInAll) break;
    paused.add(guildId);
    rest -= count;
  }
  return paused;
}
