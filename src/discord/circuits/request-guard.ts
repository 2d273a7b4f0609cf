import type { RetryLater } from '@tallyhook/platform/attempt-result';
import type { Clock } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { createThrottledLog } from '@tallyhook/platform/throttled-log';
import { plainName } from '@tallyhook/platform/truncate';
import { channelErrorReason, rejectionOf, retryAfterFailure } from '../discord-errors.ts';
import type { GuildChange } from '../gateway/guild-changes.ts';
import { RequestsPausedError, windowMinutes } from '../invalid-requests.ts';
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

/** Keeps requests back that Discord would reject, so that no guild can use up what Discord tolerates of all. */
export type RequestGuard = ReturnType<typeof createRequestGuard>;

/** The stored counts of the last ten minutes. @param now ms since the epoch */
export function recentRejections(store: CircuitStore, now: number): Promise<readonly GuildRejections[]> {
  const current = Math.floor(now / minute);
  return store.rejections(current - windowMinutes, current + windowMinutes);
}

export function createRequestGuard(options: {
  readonly store: CircuitStore;
  /** The guild of a configured channel; null if it is not known. */
  readonly guildOfChannel: (channelId: string) => string | null;
  /** All rejected requests of the last ten minutes. */
  readonly invalidRequests: () => number;
  readonly clock: Clock;
  readonly log: Log;
}) {
  const { store, guildOfChannel, invalidRequests, clock, log } = options;
  const stopping = new AbortController();
  const logThrottled = createThrottledLog({
    log,
    clock,
    intervalMs: minute,
    maxMessages: 10,
    flushUntil: stopping.signal,
  });
  let listener: (target: string) => void = () => {};
  const circuits = new Circuits(clock, (target) => listener(target));
  /** Rejected requests by guild, of all processes and of this one that are not stored yet. */
  let stored = new Map<string, number>();
  let pending = new Map<string, number>();
  let pausedGuilds: ReadonlySet<string> = new Set();
  let running: Promise<void> | undefined;
  /** Ends the pause of the loop. */
  let waiting = new AbortController();

  function circuitRequest({ method, route, hasFiles }: GuardedRequest): CircuitRequest | null {
    const target = method === 'get' ? null : targetOf(route);
    return target === null ? null : { target: target.target, guildId: guildOf(route), hasFiles };
  }

  function guildOf(route: string): string | null {
    const channelId = channelIn(route);
    return channelId === null ? guildIn(route) : guildOfChannel(channelId);
  }

  function countRejection(guildId: string): void {
    pending.set(guildId, (pending.get(guildId) ?? 0) + 1);
    if ((pending.get(guildId) ?? 0) + (stored.get(guildId) ?? 0) >= maxRejectionsOfGuild) pauseGuilds();
  }

  function pauseGuilds(): void {
    const guildIds = new Set([...stored.keys(), ...pending.keys()]);
    const counts = [...guildIds].map((guildId) => {
      return { guildId, count: (stored.get(guildId) ?? 0) + (pending.get(guildId) ?? 0) };
    });
    const paused = guildsToPause(counts, invalidRequests());
    for (const guildId of paused) {
      if (pausedGuilds.has(guildId)) continue;
      const inTenMinutes = counts.find((each) => each.guildId === guildId)?.count;
      logThrottled('error', 'guild', 'a guild is paused, because Discord rejects too many of its requests', {
        guild: guildId,
        inTenMinutes,
      });
    }
    pausedGuilds = paused;
  }

  function describe(route: string, error: Parameters<typeof channelErrorReason>[0]): string {
    const target = targetOf(route);
    if (target?.kind === 'channel') return channelErrorReason(error, target.id);
    return plainName(`Discord rejects role ${target?.id ?? ''}: ${error.message}`, maxReasonLength);
  }

  async function sync(): Promise<void> {
    const counts = [...pending].map(([guildId, each]) => ({ guildId, count: each }));
    pending = new Map();
    const changes = circuits.takeChanges();
    try {
      if (counts.length > 0) await store.addRejections(Math.floor(clock.now() / minute), counts);
      counts.length = 0;
      if (changes.saved.length + changes.closed.length > 0) await store.save(changes.saved, changes.closed);
    } catch (error) {
      for (const { guildId, count: each } of counts) pending.set(guildId, (pending.get(guildId) ?? 0) + each);
      circuits.returnChanges(changes);
      throw error;
    }
    await load();
  }

  async function load(): Promise<void> {
    circuits.merge(await store.all());
    const rejections = await recentRejections(store, clock.now());
    stored = new Map(rejections.map(({ guildId, count: each }) => [guildId, each]));
    pauseGuilds();
  }

  async function run(): Promise<void> {
    let nextReadAt = clock.monotonic();
    while (!stopping.signal.aborted) {
      const isBusy = pending.size > 0 || stored.size > 0 || circuits.hasChanges || circuits.open.length > 0;
      if (isBusy || clock.monotonic() >= nextReadAt) {
        nextReadAt = clock.monotonic() + idleSyncEveryMs;
        await sync().catch((error: unknown) => {
          if (stopping.signal.aborted) return;
          logThrottled('warn', 'sync', 'rejected requests could not be stored', { reason: messageOf(error) });
        });
      }
      waiting = new AbortController();
      await clock.sleep(syncEveryMs, AbortSignal.any([stopping.signal, waiting.signal]));
    }
  }

  /** So that the other processes find out soon. */
  function expedite(isAffected: (circuit: OpenCircuit) => boolean): void {
    if (circuits.expedite(isAffected)) waiting.abort();
  }

  return {
    /** Before each request. @throws CircuitOpenError, or RequestsPausedError for a guild that is paused */
    admit(request: GuardedRequest): void {
      const target = circuitRequest(request);
      if (target === null) return;
      if (target.guildId !== null && pausedGuilds.has(target.guildId)) {
        throw new RequestsPausedError(guildPauseMs, target.guildId);
      }
      circuits.admit(target);
    },
    accepted(request: GuardedRequest): void {
      const target = circuitRequest(request);
      if (target === null || !circuits.accepted(target)) return;
      const { guildId: guild } = target;
      logThrottled('info', 'accepted', 'Discord accepts requests again', { target: target.target, guild });
    },
    /** Returns the error to throw instead. */
    rejected(request: GuardedRequest, error: unknown): unknown {
      const rejection = rejectionOf(error);
      if (rejection === null) return error;
      const guildId = guildOf(request.route);
      if (guildId !== null && rejection.status === 403) countRejection(guildId);
      const target = circuitRequest(request);
      if (target === null) return error;
      const wasOpen = circuits.open.length;
      const result = circuits.rejected(target, rejection, () => describe(request.route, rejection));
      if (circuits.open.length > wasOpen) {
        const { message: reason } = result;
        logThrottled('warn', 'rejected', 'Discord rejects a channel or role; one request a minute tries it again', {
          target: target.target,
          guild: guildId,
          reason,
        });
      }
      return result;
    },
    /** When to send requests to this target, of which Discord would reject all now; null if they are to be sent. */
    check(target: string): RetryLater | null {
      const error = circuits.check(target);
      return error === null || error.isFinal ? null : retryAfterFailure(error);
    },
    /** Replaces the reason of an open circuit by a better explanation, and says whether nobody can end it. */
    explain: (target: string, reason: string, isFinal: boolean) => circuits.explain(target, reason, isFinal),
    /** Lets the next request about what a change may concern be sent at once. */
    changed({ guildId, channelId }: GuildChange): void {
      expedite((circuit) => (channelId === null ? circuit.guildId === guildId : circuit.target === channelId));
    },
    /** The same for a target that the owner tries again; that of all roles of a guild is the beginning of theirs. */
    replayed(target: string): void {
      expedite((circuit) => circuit.target === target || circuit.target.startsWith(`${target} `));
    },
    /** What Discord rejects. */
    get open(): readonly OpenCircuit[] {
      return circuits.open;
    },
    /** How many channels and roles that are. */
    count() {
      const roles = circuits.open.filter(({ target }) => isRoleTarget(target)).length;
      return { channels: circuits.open.length - roles, roles };
    },
    get pausedGuilds(): ReadonlySet<string> {
      return pausedGuilds;
    },
    /** Sets what is called with targets that need not wait any longer. Must not throw. */
    onProbeDue(onDue: (target: string) => void): void {
      listener = onDue;
    },
    /** Reads what is stored. Rejects as the store does. */
    load,
    start(): void {
      running ??= run();
    },
    /** Stores what has changed. Never rejects. */
    async stop(): Promise<void> {
      stopping.abort();
      await running;
      await sync().catch(() => {});
    },
  };
}

const roleKind = 'role';

/** The target of the changes of one role of a guild. */
export function roleTarget(guildId: string, roleId: string): string {
  return `${roleKind} ${guildId} ${roleId}`;
}

export function isRoleTarget(target: string): boolean {
  return target.startsWith(`${roleKind} `);
}

/** The channel or role that a request changes, which Discord can reject as a whole. */
export interface RequestTarget {
  /** Identifies it: the id of the channel, or {@link roleTarget}. */
  readonly target: string;
  readonly kind: 'channel' | 'role';
  /** The id of the channel or role. */
  readonly id: string;
}

/** Null for all other requests. @param route without the version, as `Routes` of discord.js returns it */
export function targetOf(route: string): RequestTarget | null {
  const [, top, id = '', part, , last, roleId] = route.split('/');
  if (top === 'channels' && part === 'messages') return { target: id, kind: 'channel', id };
  if (top !== 'guilds' || part !== 'members' || last !== 'roles' || roleId === undefined) return null;
  return { target: roleTarget(id, roleId), kind: 'role', id: roleId };
}

/** The guild that a route names; null if it names none. */
export function guildIn(route: string): string | null {
  const [, top, id] = route.split('/');
  return top === 'guilds' && id !== undefined ? id : null;
}

/** The channel that a route names; null if it names none. */
export function channelIn(route: string): string | null {
  const [, top, id] = route.split('/');
  return top === 'channels' && id !== undefined ? id : null;
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
