import type { DiscordState } from './discord-state.ts';
import type { Gateway } from './gateway.ts';
import { type PermissionName, permission } from './permissions.ts';
import { isWithoutBot } from './places-without-bot.ts';

/** A fault that replaces or precedes the response to a request. */
export type InjectedFault =
  | 'refuse'
  | 'lose_answer'
  | { readonly status: 429; readonly retryAfter: number; readonly global: boolean }
  | { readonly status: 500 };

/** Injects faults. A `pattern` limits a fault to requests whose "METHOD /path" it matches. */
export interface FaultControls {
  /** Closes all connections, including the gateway's, and refuses new ones: without end, for a duration (ms), or (false) no longer. */
  outage(duration: boolean | number): void;
  /** Responds to the next `times` requests with 429; `retryAfter` in seconds. */
  respond429(times: number, retryAfter: number, pattern?: RegExp): void;
  /** Responds to the next `times` requests with the global rate limit; `retryAfter` in seconds. */
  respondGlobal429(times: number, retryAfter: number, pattern?: RegExp): void;
  respond500(times: number, pattern?: RegExp): void;
  /** Handles the next `times` requests, but closes the connection before the response. */
  loseAnswers(times: number, pattern?: RegExp): void;
  /** Delays every response (ms); 0 ends it. */
  slow(ms: number): void;
  /** Closes the gateway's connections; without `resumable` it also deletes their sessions. */
  dropGateway(options: { resumable: boolean }): void;
  /** Requests that clients reconnect (op 7). */
  askToReconnect(): void;
  /** Makes the gateway's connections zombies (open but silent); with false, new connections work again. */
  freezeGateway(frozen: boolean): void;
  /** Recommends this number of shards and requires it of new sessions (close code 4011). */
  requireShards(count: number): void;
  /** Says that the bot may start this number of sessions today. */
  allowSessions(count: number): void;
  /** Denies the bot a permission in a channel; default `sendMessages`. Without `viewChannel` it has no access (50001). */
  losePermission(channelId: string, name?: PermissionName): void;
  regainPermission(channelId: string, name?: PermissionName): void;
  /** Removes a permission from the bot's role in the whole guild, such as `manageRoles`. */
  loseGuildPermission(name: PermissionName): void;
  regainGuildPermission(name: PermissionName): void;
  deleteChannel(channelId: string): void;
  /** The member rejects direct messages from the bot (50007), or (false) accepts them again. */
  closeDirectMessages(userId: string, closed?: boolean): void;
  /** Ends outages and delays, and removes the planned faults. */
  clear(): void;
}

export type Faults = ReturnType<typeof createFaults>;

/** The active faults, and what injects them. */
export function createFaults(state: DiscordState, gateway: Gateway) {
  const { stopwatch } = state;
  const planned: { readonly fault: InjectedFault; readonly pattern: RegExp | undefined }[] = [];
  let responseDelayMs = 0;
  /** Monotonic (ms). */
  let outageEndsAt = Number.NEGATIVE_INFINITY;

  const isOutage = () => stopwatch.monotonic() < outageEndsAt;

  function enqueue(times: number, fault: InjectedFault, pattern?: RegExp): void {
    for (let index = 0; index < times; index += 1) planned.push({ fault, pattern });
  }

  function setPermission(channelId: string, name: PermissionName, allowed: boolean): void {
    const channel = state.channels.get(channelId);
    if (channel?.type !== 0 || isWithoutBot(channel)) return;
    const denied = BigInt(channel.permission_overwrites.find(({ id }) => id === state.bot.id)?.deny ?? 0);
    state.denyBot(channel, allowed ? denied & ~permission[name] : denied | permission[name]);
  }

  function setGuildPermission(name: PermissionName, allowed: boolean): void {
    const ownRole = state.roles.find(({ tags }) => tags?.bot_id === state.bot.id);
    if (ownRole === undefined) return;
    const granted = BigInt(ownRole.permissions);
    state.setRolePermissions(ownRole, allowed ? granted | permission[name] : granted & ~permission[name]);
  }

  const controls: FaultControls = {
    outage: (duration) => {
      const endless = duration ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
      outageEndsAt = typeof duration === 'number' ? stopwatch.monotonic() + duration : endless;
      if (isOutage()) gateway.drop({ resumable: true });
    },
    respond429: (times, retryAfter, pattern) => enqueue(times, { status: 429, retryAfter, global: false }, pattern),
    respondGlobal429: (times, retryAfter, pattern) =>
      enqueue(times, { status: 429, retryAfter, global: true }, pattern),
    respond500: (times, pattern) => enqueue(times, { status: 500 }, pattern),
    loseAnswers: (times, pattern) => enqueue(times, 'lose_answer', pattern),
    slow: (ms) => {
      responseDelayMs = ms;
    },
    dropGateway: (options) => gateway.drop(options),
    askToReconnect: () => gateway.askToReconnect(),
    freezeGateway: (frozen) => gateway.freeze(frozen),
    requireShards: (count) => {
      state.requiredShards = count;
    },
    allowSessions: (count) => {
      state.remainingSessions = count;
    },
    losePermission: (channelId, name = 'sendMessages') => setPermission(channelId, name, false),
    regainPermission: (channelId, name = 'sendMessages') => setPermission(channelId, name, true),
    loseGuildPermission: (name) => setGuildPermission(name, false),
    regainGuildPermission: (name) => setGuildPermission(name, true),
    deleteChannel: (channelId) => {
      const channel = state.channels.get(channelId);
      if (channel !== undefined) state.deleteChannel(channel);
    },
    closeDirectMessages: (userId, closed = true) => state.setDirectMessagesAccepted(userId, !closed),
    clear: () => {
      responseDelayMs = 0;
      outageEndsAt = Number.NEGATIVE_INFINITY;
      planned.length = 0;
    },
  };
  return {
    controls,
    isOutage,
    /** Delay of every response (ms). */
    get responseDelayMs() {
      return responseDelayMs;
    },
    /** Removes and returns the next fault for this request, if there is one. */
    take(method: string, path: string): InjectedFault | undefined {
      if (isOutage()) return 'refuse';
      const index = planned.findIndex(({ pattern }) => pattern?.test(`${method} ${path}`) ?? true);
      return index === -1 ? undefined : planned.splice(index, 1)[0]?.fault;
    },
  };
}
