import type { DiscordAPIError } from '@discordjs/rest';
import type { RetryLater } from '@tallyhook/platform/attempt-result';
import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { day, minute, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { createLoop, type WakeableLoop } from '@tallyhook/platform/loop';
import { createThrottledLog, type LogThrottled } from '@tallyhook/platform/throttled-log';
import { plainName } from '@tallyhook/platform/truncate';
import {
  CircuitOpenError,
  channelErrorReason,
  finalCode,
  isDeleted,
  isOfOne,
  minProbeIntervalMs,
  rejectionOf,
  retryAfterFailure,
  stopsTarget,
} from './discord-errors.ts';
import type { GuildChange } from './gateway/guild-changes.ts';
import { RequestsPausedError, windowMinutes } from './rate-limit.ts';

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
const maxRejectionsOfGuild = 500;
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

/** How often after some hours (ms): few of those who have not reacted by then do so soon. */
const maxProbeIntervalMs = 10 * minute;
/** The part of the time since the first rejection that passes between two requests. */
const probeIntervalPart = 1 / 30;
/** Requests about one channel or role that may be rejected within a time, whatever the causes and changes are. */
const maxRecent = 8;
const recentMs = 20 * second;
/** An open circuit is forgotten if nothing has waited for it for this long (ms). */
const keptMs = 1 * day;
/** Channels and roles whose recent rejections are remembered. */
const maxRemembered = 10_000;

interface CircuitRequest {
  readonly target: string;
  /** The guild of the channel or role; null if it is not known. */
  readonly guildId: string | null;
  /** Says nothing about the channel if it is rejected, because the same request without files may be accepted. */
  readonly hasFiles: boolean;
}

/**
 * A circuit breaker for each channel and role. The first rejection that does not depend on the message or the member
 * opens it: then nothing is sent but one request a minute, later every ten minutes, until one is accepted. Times are ms since the epoch, because
 * other processes and the next start use them as well.
 */
class Circuits {
  readonly #clock: Clock;
  readonly #open = new Map<string, OpenCircuit>();
  /** The targets whose circuits are to be stored. */
  #changed = new Set<string>();
  /** When requests were rejected (monotonic, ms), oldest first. */
  readonly #recent = new BoundedMap<readonly number[]>(maxRemembered);
  readonly #onProbeDue: (target: string) => void;

  /** @param onProbeDue called with a target that need not wait any longer. Must not throw */
  constructor(clock: Clock, onProbeDue: (target: string) => void) {
    this.#clock = clock;
    this.#onProbeDue = onProbeDue;
  }

  get open(): readonly OpenCircuit[] {
    return [...this.#open.values()];
  }

  get hasChanges(): boolean {
    return this.#changed.size > 0;
  }

  /** Why a request about this would not be sent now; null if it would. */
  check(target: string): CircuitOpenError | null {
    const paceMs = this.#paceMs(target);
    const circuit = this.#open.get(target);
    const waitMs = Math.max(paceMs, circuit === undefined ? 0 : this.#untilProbe(circuit));
    if (waitMs <= 0) return null;
    const reason = circuit?.reason ?? `Discord rejected ${maxRecent} requests in ${recentMs / second} s`;
    const isFinal = circuit !== undefined && isDeleted(circuit.code);
    return new CircuitOpenError(target, { reason, retryAfterMs: waitMs, isFinal });
  }

  /** Before a request. @throws CircuitOpenError if it is not to be sent */
  admit({ target, hasFiles }: CircuitRequest): void {
    const error = this.check(target);
    if (error !== null) throw error;
    const circuit = this.#open.get(target);
    // No other request is sent while this one is the probe.
    if (circuit !== undefined && !hasFiles) this.#set({ ...circuit, probeAt: this.#clock.now() + minProbeIntervalMs });
  }

  /** After a request that Discord accepted. Returns whether it closed the circuit. */
  accepted({ target }: CircuitRequest): boolean {
    if (!this.#open.delete(target)) return false;
    this.#changed.add(target);
    this.#onProbeDue(target);
    return true;
  }

  /** Returns the error for the caller: a CircuitOpenError for a probe, whose effects wait with the others. */
  rejected(request: CircuitRequest, rejection: DiscordAPIError, describe: () => string): Error {
    const { target, guildId, hasFiles } = request;
    if (!isOfOne(rejection)) this.#recent.set(target, [...this.#recentOf(target), this.#clock.monotonic()]);
    if (hasFiles || !stopsTarget(rejection)) return rejection;
    const now = this.#clock.now();
    const code = Number(rejection.code) || 0;
    const last = this.#open.get(target);
    const reason = last?.code === code ? last.reason : describe();
    const openedAt = last?.openedAt ?? now;
    const intervalMs = probeIntervalAfter(now - openedAt);
    this.#set({ target, guildId, code, reason, openedAt, probeAt: now + intervalMs });
    if (last === undefined || isDeleted(code)) return rejection;
    return new CircuitOpenError(target, { reason, retryAfterMs: intervalMs, isFinal: false, cause: rejection });
  }

  /** Replaces the reason of an open circuit by a better one. @param isFinal true if nobody can end it */
  explain(target: string, reason: string, isFinal: boolean): void {
    const circuit = this.#open.get(target);
    if (circuit === undefined) return;
    const code = isFinal ? finalCode : circuit.code;
    if (circuit.reason !== reason || circuit.code !== code) this.#set({ ...circuit, reason, code });
  }

  /** Lets the next request be sent at once, because something has changed. Returns whether there was such a circuit. */
  expedite(isAffected: (circuit: OpenCircuit) => boolean): boolean {
    const affected = this.open.filter(isAffected);
    for (const circuit of affected) {
      this.#set({ ...circuit, probeAt: this.#clock.now() });
      this.#onProbeDue(circuit.target);
    }
    return affected.length > 0;
  }

  /** What changed since the last call, and is to be stored. */
  takeChanges(): { readonly saved: readonly OpenCircuit[]; readonly closed: readonly string[] } {
    const changed = [...this.#changed];
    this.#changed = new Set();
    const closed = changed.filter((target) => !this.#open.has(target));
    return { saved: changed.flatMap((target) => this.#open.get(target) ?? []), closed };
  }

  /** After `takeChanges`: it could not be stored. */
  returnChanges({ saved, closed }: ReturnType<Circuits['takeChanges']>): void {
    for (const target of [...saved.map((circuit) => circuit.target), ...closed]) this.#changed.add(target);
  }

  /** Applies what other processes have stored, unless this one has changed it since. */
  merge(stored: readonly OpenCircuit[]): void {
    const now = this.#clock.now();
    const rows = new Map(stored.map((row) => [row.target, row]));
    for (const row of stored) {
      if (this.#changed.has(row.target)) continue;
      const own = this.#open.get(row.target);
      this.#open.set(row.target, row);
      if (own !== undefined && own.probeAt > now && row.probeAt <= now) this.#onProbeDue(row.target);
      if (row.probeAt < now - keptMs) this.#delete(row.target);
    }
    for (const target of [...this.#open.keys()]) {
      if (rows.has(target) || this.#changed.has(target)) continue;
      this.#open.delete(target);
      this.#onProbeDue(target);
    }
  }

  #set(circuit: OpenCircuit): void {
    this.#open.set(circuit.target, circuit);
    this.#changed.add(circuit.target);
  }

  #delete(target: string): void {
    this.#open.delete(target);
    this.#changed.add(target);
  }

  /** A time further ahead was written before the clock was set back. */
  #untilProbe({ probeAt }: OpenCircuit): number {
    const waitMs = probeAt - this.#clock.now();
    return waitMs > maxProbeIntervalMs ? 0 : waitMs;
  }

  #recentOf(target: string): readonly number[] {
    const earliest = this.#clock.monotonic() - recentMs;
    return (this.#recent.get(target) ?? []).filter((at) => at > earliest);
  }

  /** How long to wait because of many recent rejections (ms); 0 without. */
  #paceMs(target: string): number {
    if (!this.#recent.has(target)) return 0;
    const recent = this.#recentOf(target);
    if (recent.length === 0) this.#recent.delete(target);
    const [oldest] = recent.slice(-maxRecent);
    return recent.length < maxRecent || oldest === undefined ? 0 : oldest + recentMs - this.#clock.monotonic();
  }
}

/** @param ageMs since the first rejection */
function probeIntervalAfter(ageMs: number): number {
  return Math.min(maxProbeIntervalMs, Math.max(minProbeIntervalMs, Math.round(ageMs * probeIntervalPart)));
}

/** A channel or role for which Discord rejects everything. Times are ms since the epoch. */
interface OpenCircuit {
  /** The id of a channel, or `role <guild> <role>`. */
  readonly target: string;
  /** Null if it is not known. */
  readonly guildId: string | null;
  /** Discord's error code. */
  readonly code: number;
  /** With a hint for the owner. */
  readonly reason: string;
  readonly openedAt: number;
  /** When one request may be sent, to find out whether it is accepted again. */
  readonly probeAt: number;
}

interface GuildRejections {
  readonly guildId: string;
  readonly count: number;
}

/** What the processes of an installation share about rejected requests. Rejects as the store does. */
export interface CircuitStore {
  all(): Promise<readonly OpenCircuit[]>;
  /** Adds or replaces open circuits, and deletes those of `closed` targets. */
  save(open: readonly OpenCircuit[], closed: readonly string[]): Promise<void>;
  /** Adds to the counts of a minute (minutes since the epoch). */
  addRejections(minute: number, counts: readonly GuildRejections[]): Promise<void>;
  /** The sums of the counts from one minute to another, both included. */
  rejections(from: number, until: number): Promise<readonly GuildRejections[]>;
}
