import type { DiscordAPIError } from '@discordjs/rest';
import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { day, minute, second } from '@tallyhook/platform/durations';
import { RESTJSONErrorCodes } from 'discord-api-types/v10';

/** How often a request finds out whether Discord accepts it again, in the first half hour … */
export const minProbeIntervalMs = 1 * minute;
/** … and after hours, because few of those who have not reacted by then do so soon. */
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

/** A request that changes a channel or role. */
export interface CircuitRequest {
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
export class Circuits {
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

  /**
   * After a request that Discord rejected. Returns the error for the caller: that of a probe is a CircuitOpenError, so
   * that its effects wait for the next one with the others.
   */
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

  /**
   * Replaces the reason of an open circuit by a better explanation.
   * @param isFinal whether nobody can end it, as if the channel or role was deleted
   */
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

/**
 * A request was not sent, or was a probe that failed: Discord rejects everything for this channel or role until somebody
 * changes it there.
 */
export class CircuitOpenError extends Error {
  /** What Discord rejects: the id of a channel, or `role <guild> <role>`. */
  readonly target: string;
  /** Until another request may be sent (ms). */
  readonly retryAfterMs: number;
  /** It was deleted, so waiting is in vain. */
  readonly isFinal: boolean;

  /** @param options.cause Discord's error, if a request was sent */
  constructor(target: string, options: { reason: string; retryAfterMs: number; isFinal: boolean; cause?: unknown }) {
    super(options.reason, { cause: options.cause });
    this.name = 'CircuitOpenError';
    this.target = target;
    this.retryAfterMs = options.retryAfterMs;
    this.isFinal = options.isFinal;
  }
}

/** A channel or role for which Discord rejects everything. Times are ms since the epoch. */
export interface OpenCircuit {
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

/** The rejected requests of a guild. */
export interface GuildRejections {
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

/** What Discord rejects because of one message or member, so that others may succeed. 50278: no mutual guilds. */
const singleCodes: readonly (number | string)[] = [
  RESTJSONErrorCodes.UnknownMember,
  RESTJSONErrorCodes.UnknownMessage,
  RESTJSONErrorCodes.UnknownUser,
  RESTJSONErrorCodes.CannotEditMessageAuthoredByAnotherUser,
  RESTJSONErrorCodes.CannotSendMessagesToThisUser,
  RESTJSONErrorCodes.CannotSendMessagesToThisUserDueToHavingNoMutualGuilds,
  RESTJSONErrorCodes.OpeningDirectMessagesTooFast,
];

/** What Discord rejects with 400 although it does not depend on the message. */
const channelCodes: readonly (number | string)[] = [
  RESTJSONErrorCodes.CannotSendMessagesInNonTextChannel,
  RESTJSONErrorCodes.CannotExecuteActionOnThisChannelType,
  RESTJSONErrorCodes.InvalidActionOnArchivedThread,
  RESTJSONErrorCodes.CannotReplyWithoutPermissionToReadMessageHistory,
  RESTJSONErrorCodes.ThreadLocked,
];

const deletedCodes: readonly (number | string)[] = [RESTJSONErrorCodes.UnknownChannel, RESTJSONErrorCodes.UnknownRole];

/** Whether other messages and members have nothing to do with a rejection. */
export function isOfOne({ code }: Pick<DiscordAPIError, 'code'>): boolean {
  return singleCodes.includes(code);
}

/**
 * Whether the same would happen to everything else in the channel, or with the role. Somebody can mend that in Discord,
 * unless it {@link isDeleted}, so the effects wait for it.
 */
export function stopsTarget({ status, code }: Pick<DiscordAPIError, 'status' | 'code'>): boolean {
  if (channelCodes.includes(code)) return true;
  return (status === 403 || status === 404) && !singleCodes.includes(code);
}

/** Of a role that nobody can give, for whatever reason. */
export const finalCode = RESTJSONErrorCodes.UnknownRole;

/** Whether the channel or role was deleted, which cannot be undone. */
export function isDeleted(code: number | string): boolean {
  return deletedCodes.includes(code);
}
