import { DefaultRestOptions, type DiscordAPIError, type RESTOptions } from '@discordjs/rest';
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
import { RequestsPausedError } from './rate-limit.ts';

/** How often changes are stored, and those of other processes are read while there are any. */
const syncEveryMs = 5 * second;
/** How often they are read while there are none. */
const idleSyncEveryMs = 30 * second;
/** How long the effects of a paused guild wait before another look. */
const guildPauseMs = 30 * second;
const maxReasonLength = 300;

/**
 * Discord blocks an address after 10,000 responses with 401, 403 or 429 in ten minutes. Discord: "Invalid Request Limit".
 * All processes are counted together, although they may have several addresses.
 */
export const warningInvalidRequests = 5_000;
/** No request is sent that can wait, until there are fewer. */
export const maxInvalidRequests = 8_000;
const windowMinutes = 10;
const invalidStatuses: readonly number[] = [401, 403, 429];

export interface GuardedRequest {
  readonly method: 'get' | 'post' | 'patch' | 'put' | 'delete';
  readonly route: string;
  readonly hasFiles: boolean;
}

/** The "guild" of the count of all requests, also of those of no guild. */
export const allGuilds = '';

/** The stored counts of the last ten minutes, of all requests and by guild. @param now ms since the epoch */
export async function recentRejections(circuits: CircuitStore, now: number) {
  const current = Math.floor(now / minute);
  // The clocks of other processes may be ahead.
  const counts = await circuits.rejections(current - windowMinutes, current + windowMinutes);
  return new Map(counts.map(({ guildId, count }) => [guildId, count]));
}

interface RequestGuardOptions {
  readonly store: { readonly circuits: CircuitStore };
  /** The guild of a configured channel; null if it is not known. */
  readonly guildOfChannel: (channelId: string) => string | null;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Counts the requests that Discord rejects, and keeps back those that it would reject, so that no guild can use up what
 * Discord tolerates of all.
 *
 * Each channel and role has a circuit breaker. The first rejection that does not depend on the message or the member
 * opens it: then nothing is sent but one request a minute, later every ten minutes, until one is accepted. Times of
 * circuits are ms since the epoch, because other processes and the next start use them as well.
 */
export class RequestGuard {
  readonly #options: RequestGuardOptions;
  readonly #stopping = new AbortController();
  readonly #logThrottled: LogThrottled;
  readonly #logTotal: LogThrottled;
  readonly #loop: WakeableLoop;
  /** Rejected requests of all processes, and of this one that are not stored yet: all of them, and by guild. */
  #stored: ReadonlyMap<string, number> = new Map();
  readonly #pending = new Map<string, number>();
  #pausedGuilds: ReadonlySet<string> = new Set();
  readonly #open = new Map<string, OpenCircuit>();
  /** The targets whose circuits are to be stored. */
  #changed = new Set<string>();
  /** When requests were rejected, by target (monotonic, ms), oldest first. */
  readonly #recent = new BoundedMap<readonly number[]>(maxRemembered);
  #nextReadAt = Number.NEGATIVE_INFINITY;
  #onProbeDue: (target: string) => void = () => {};

  constructor(options: RequestGuardOptions) {
    const { clock, log } = options;
    this.#options = options;
    const throttled = { log, clock, intervalMs: minute, flushUntil: this.#stopping.signal };
    this.#logThrottled = createThrottledLog({ ...throttled, maxMessages: 10 });
    this.#logTotal = createThrottledLog(throttled);
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

  /** Observes each response of a REST client, as its option. */
  readonly makeRequest: RESTOptions['makeRequest'] = async (url, init) => {
    const response = await DefaultRestOptions.makeRequest(url, init);
    // Limits that bots share with others are not counted.
    const isShared = response.headers.get('x-ratelimit-scope') === 'shared';
    if (invalidStatuses.includes(response.status) && !isShared) this.#addPending(allGuilds, 1);
    return response;
  };

  /** The rejected requests within the last ten minutes, of all processes. */
  readonly invalidRequests = (): number => this.#rejectionsOf(allGuilds);

  /** Time after which a request that can wait may be sent (ms); 0 if now. */
  pauseMs(): number {
    return this.invalidRequests() < maxInvalidRequests ? 0 : syncEveryMs;
  }

  /** Channels and roles for which Discord rejects everything. */
  get open(): readonly OpenCircuit[] {
    return [...this.#open.values()];
  }

  get pausedGuilds(): ReadonlySet<string> {
    return this.#pausedGuilds;
  }

  /** How many channels and roles Discord rejects. */
  count(): { readonly channels: number; readonly roles: number } {
    const roles = this.open.filter(({ target }) => target.startsWith(`${roleKind} `)).length;
    return { channels: this.#open.size - roles, roles };
  }

  /** Before each request. @throws CircuitOpenError, or RequestsPausedError if all or those of its guild are paused */
  admit(request: GuardedRequest): void {
    const pauseMs = this.pauseMs();
    if (pauseMs > 0) throw new RequestsPausedError(pauseMs);
    const target = targetOf(request);
    if (target === null) return;
    const guildId = this.#guildOf(request.route);
    if (guildId !== null && this.#pausedGuilds.has(guildId)) throw new RequestsPausedError(guildPauseMs, guildId);
    const error = this.#errorFor(target);
    if (error !== null) throw error;
    const circuit = this.#open.get(target);
    // No other request is sent while this one is the probe.
    if (circuit !== undefined && !request.hasFiles)
      this.#set({ ...circuit, probeAt: this.#options.clock.now() + minProbeIntervalMs });
  }

  accepted(request: GuardedRequest): void {
    const target = targetOf(request);
    if (target === null || !this.#open.delete(target)) return;
    this.#changed.add(target);
    this.#onProbeDue(target);
    const guild = this.#guildOf(request.route);
    this.#logThrottled('info', 'accepted', 'Discord accepts requests again', { target, guild });
  }

  /** Returns the error to throw instead: a CircuitOpenError for a probe, whose effects wait with the others. */
  rejected(request: GuardedRequest, error: unknown): unknown {
    const { clock } = this.#options;
    const rejection = rejectionOf(error);
    if (rejection === null) return error;
    const guildId = this.#guildOf(request.route);
    if (guildId !== null && rejection.status === 403) this.#countRejection(guildId);
    const target = targetOf(request);
    if (target === null) return error;
    if (!isOfOne(rejection)) this.#recent.set(target, [...this.#recentOf(target), clock.monotonic()]);
    // The same request without files may be accepted.
    if (request.hasFiles || !stopsTarget(rejection)) return rejection;
    const now = clock.now();
    const code = Number(rejection.code) || 0;
    const last = this.#open.get(target);
    const reason = last?.code === code ? last.reason : describeRejection(target, rejection);
    const openedAt = last?.openedAt ?? now;
    const intervalMs = probeIntervalAfter(now - openedAt);
    this.#set({ target, guildId, code, reason, openedAt, probeAt: now + intervalMs });
    if (last === undefined) {
      const message = 'Discord rejects a channel or role; one request a minute tries it again';
      this.#logThrottled('warn', 'rejected', message, { target, guild: guildId, reason: rejection.message });
    }
    if (last === undefined || isDeleted(code)) return rejection;
    return new CircuitOpenError(target, { reason, retryAfterMs: intervalMs, isFinal: false, cause: rejection });
  }

  /** When to send requests to this target, of which Discord would reject all now; null if they are to be sent. */
  check(target: string): RetryLater | null {
    const error = this.#errorFor(target);
    return error === null || error.isFinal ? null : retryAfterFailure(error);
  }

  /** Replaces the reason of an open circuit by a better explanation. @param isFinal true if nobody can end it */
  explain(target: string, reason: string, isFinal: boolean): void {
    const circuit = this.#open.get(target);
    if (circuit === undefined) return;
    const code = isFinal ? finalCode : circuit.code;
    if (circuit.reason !== reason || circuit.code !== code) this.#set({ ...circuit, reason, code });
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
    this.#merge(await store.circuits.all());
    this.#stored = await recentRejections(store.circuits, clock.now());
    this.#pauseGuilds();
    const inTenMinutes = this.invalidRequests();
    if (inTenMinutes < warningInvalidRequests) return;
    const isPaused = this.pauseMs() > 0;
    const message = isPaused
      ? 'Discord rejected too many requests; only interactions are answered until there are fewer'
      : 'Discord rejects many requests; it blocks an address at 10,000 in ten minutes';
    this.#logTotal(isPaused ? 'error' : 'warn', 'total', message, { inTenMinutes });
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
    const isBusy = this.#pending.size + this.#stored.size + this.#changed.size + this.#open.size > 0;
    if (!isBusy && clock.monotonic() < this.#nextReadAt) return;
    this.#nextReadAt = clock.monotonic() + idleSyncEveryMs;
    await this.#sync();
  }

  async #sync(): Promise<void> {
    const { clock, store } = this.#options;
    const now = Math.floor(clock.now() / minute);
    const counts = [...this.#pending].map(([guildId, count]) => ({ guildId, count }));
    if (counts.length > 0) await store.circuits.addRejections(now, counts);
    for (const { guildId, count } of counts) this.#addPending(guildId, -count);
    await this.#saveCircuits();
    await this.load();
  }

  async #saveCircuits(): Promise<void> {
    const changed = this.#changed;
    if (changed.size === 0) return;
    this.#changed = new Set();
    const open = [...changed].flatMap((target) => this.#open.get(target) ?? []);
    const closed = [...changed].filter((target) => !this.#open.has(target));
    try {
      await this.#options.store.circuits.save(open, closed);
    } catch (error) {
      for (const target of changed) this.#changed.add(target);
      throw error;
    }
  }

  /** Applies what other processes have stored, unless this one has changed it since. */
  #merge(stored: readonly OpenCircuit[]): void {
    const now = this.#options.clock.now();
    const rows = new Map(stored.map((row) => [row.target, row]));
    for (const row of stored) {
      if (this.#changed.has(row.target)) continue;
      const own = this.#open.get(row.target);
      this.#open.set(row.target, row);
      if (own !== undefined && own.probeAt > now && row.probeAt <= now) this.#onProbeDue(row.target);
      if (row.probeAt < now - keptMs) {
        this.#open.delete(row.target);
        this.#changed.add(row.target);
      }
    }
    for (const target of this.#open.keys()) {
      if (rows.has(target) || this.#changed.has(target)) continue;
      this.#open.delete(target);
      this.#onProbeDue(target);
    }
  }

  #set(circuit: OpenCircuit): void {
    this.#open.set(circuit.target, circuit);
    this.#changed.add(circuit.target);
  }

  /** So that the other processes find out soon. */
  #expedite(isAffected: (circuit: OpenCircuit) => boolean): void {
    const affected = this.open.filter(isAffected);
    for (const circuit of affected) {
      this.#set({ ...circuit, probeAt: this.#options.clock.now() });
      this.#onProbeDue(circuit.target);
    }
    if (affected.length > 0) this.#loop.wake();
  }

  /** Why a request about this would not be sent now; null if it would. */
  #errorFor(target: string): CircuitOpenError | null {
    const circuit = this.#open.get(target);
    const waitMs = Math.max(this.#paceMs(target), circuit === undefined ? 0 : this.#untilProbe(circuit));
    if (waitMs <= 0) return null;
    const reason = circuit?.reason ?? `Discord rejected ${maxRecent} requests in ${recentMs / second} s`;
    const isFinal = circuit !== undefined && isDeleted(circuit.code);
    return new CircuitOpenError(target, { reason, retryAfterMs: waitMs, isFinal });
  }

  /** A time further ahead was written before the clock was set back. */
  #untilProbe({ probeAt }: OpenCircuit): number {
    const waitMs = probeAt - this.#options.clock.now();
    return waitMs > maxProbeIntervalMs ? 0 : waitMs;
  }

  #recentOf(target: string): readonly number[] {
    const earliest = this.#options.clock.monotonic() - recentMs;
    return (this.#recent.get(target) ?? []).filter((at) => at > earliest);
  }

  /** How long to wait because of many recent rejections (ms); 0 without. */
  #paceMs(target: string): number {
    const [oldest, ...others] = this.#recentOf(target).slice(-maxRecent);
    const isFull = oldest !== undefined && others.length === maxRecent - 1;
    return isFull ? oldest + recentMs - this.#options.clock.monotonic() : 0;
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

  #addPending(guildId: string, added: number): void {
    const count = (this.#pending.get(guildId) ?? 0) + added;
    if (count === 0) this.#pending.delete(guildId);
    else this.#pending.set(guildId, count);
  }

  #countRejection(guildId: string): void {
    this.#addPending(guildId, 1);
    if (this.#rejectionsOf(guildId) >= maxRejectionsOfGuild) this.#pauseGuilds();
  }

  #pauseGuilds(): void {
    const guildIds = new Set([...this.#stored.keys(), ...this.#pending.keys()]);
    const paused = guildsToPause(new Map(Array.from(guildIds, (guildId) => [guildId, this.#rejectionsOf(guildId)])));
    for (const guild of paused) {
      if (this.#pausedGuilds.has(guild)) continue;
      const message = 'a guild is paused, because Discord rejects too many of its requests';
      this.#logThrottled('error', 'guild', message, { guild, inTenMinutes: this.#rejectionsOf(guild) });
    }
    this.#pausedGuilds = paused;
  }
}

function describeRejection(target: string, error: Pick<DiscordAPIError, 'code' | 'message'>): string {
  const [kind, , roleId] = target.split(' ');
  if (kind !== roleKind) return channelErrorReason(error, target);
  return plainName(`Discord rejects role ${roleId}: ${error.message}`, maxReasonLength);
}

const roleKind = 'role';

/** The target of the changes of one role of a guild. */
export function roleTarget(guildId: string, roleId: string): string {
  return `${roleKind} ${guildId} ${roleId}`;
}

/**
 * The part of Discord that a request changes and that can be rejected as a whole: the id of a channel, or
 * {@link roleTarget}; null for all other requests.
 */
function targetOf({ method, route }: GuardedRequest): string | null {
  if (method === 'get') return null;
  const [, top, id = '', part, , last, roleId] = route.split('/');
  if (top === 'channels' && part === 'messages') return id;
  const isRole = top === 'guilds' && part === 'members' && last === 'roles' && roleId !== undefined;
  return isRole ? roleTarget(id, roleId) : null;
}

/** Nothing more is sent for a guild with this many rejected requests in ten minutes. */
const maxRejectionsOfGuild = 500;
/** From this number on, of all guilds together, those with the most are paused although each has less. */
const maxRejectionsOfAll = 5_000;
/** Rejected requests that the guilds that are not paused may then have caused together. */
const maxRejectionsOfUnpaused = 2_500;

/**
 * The guilds that cause so many rejected requests that Discord might block the bot for all others.
 * @param counts of the last ten minutes, by guild and of {@link allGuilds}
 */
export function guildsToPause(counts: ReadonlyMap<string, number>): ReadonlySet<string> {
  const total = counts.get(allGuilds) ?? 0;
  const descending = [...counts].filter(([guildId]) => guildId !== allGuilds).sort(([, a], [, b]) => b - a);
  let rest = descending.reduce((sum, [, count]) => sum + count, 0);
  const paused = new Set<string>();
  for (const [guildId, count] of descending) {
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
  /** The reason, with a hint for the owner. */
  readonly reason: string;
  readonly openedAt: number;
  /** When one request may be sent, to find out whether it is accepted again. */
  readonly probeAt: number;
}

interface GuildRejections {
  readonly guildId: string;
  readonly count: number;
}

/** Open circuits, and rejected requests by guild and of {@link allGuilds}. Rejects as the store does. */
export interface CircuitStore {
  all(): Promise<readonly OpenCircuit[]>;
  /** Adds or replaces open circuits, and deletes those of `closed` targets. */
  save(open: readonly OpenCircuit[], closed: readonly string[]): Promise<void>;
  /** Adds to the counts of a minute (minutes since the epoch). */
  addRejections(minute: number, counts: readonly GuildRejections[]): Promise<void>;
  /** The sums of the counts from one minute to another, both included. */
  rejections(from: number, until: number): Promise<readonly GuildRejections[]>;
}
