import type { DiscordState } from './discord-state.ts';
import type { Gateway } from './gateway.ts';
import type { InjectedFaults } from './injected-faults.ts';
import type { PermissionName } from './permissions.ts';

/** Faults that can be switched on. `only` restricts one to requests whose "METHOD /path" it matches. */
export interface FaultControls {
  /** Discord cannot be reached: connections are cut, the gateway's too. For good, for so many ms, or (false) no longer. */
  outage(duration: boolean | number): void;
  /** The next `times` requests are answered with 429; `retryAfter` in seconds. */
  respond429(times: number, retryAfter: number, pattern?: RegExp): void;
  /** The same for the rate limit on all requests of the bot. */
  respondGlobal429(times: number, retryAfter: number, pattern?: RegExp): void;
  respond500(times: number, pattern?: RegExp): void;
  /** The next `times` requests are carried out, but the connection is cut before the answer. */
  loseAnswers(times: number, pattern?: RegExp): void;
  /** Every answer is held back so long (ms); 0 ends it. */
  slow(ms: number): void;
  /** Cuts the gateway's connections, with or without the chance to resume. */
  dropGateway(options: { resumable: boolean }): void;
  /** Asks the clients to reconnect (op 7). */
  askToReconnect(): void;
  /** The gateway's connections stay open and fall silent for good; with false, new ones are alive again. */
  freezeGateway(frozen: boolean): void;
  /** The bot has come to need so many shards: recommended to it, and required of every new session (close code 4011). */
  requireShards(count: number): void;
  /** Takes a permission from the bot in a channel; default `sendMessages`. Without `viewChannel` it has no access (50001). */
  losePermission(channelId: string, name?: PermissionName): void;
  regainPermission(channelId: string, name?: PermissionName): void;
  deleteChannel(channelId: string): void;
  /** The member takes no direct messages from the bot (50007), or (false) does again. */
  closeDirectMessages(userId: string, closed?: boolean): void;
  /** Ends outage and slowness, and forgets the failures that were still to come. */
  clear(): void;
}

export function createFaultControls(faults: InjectedFaults, state: DiscordState, gateway: Gateway): FaultControls {
  return {
    outage: (duration) => {
      faults.setOutage(duration);
      if (faults.outage) gateway.drop({ resumable: true });
    },
    respond429: (times, retryAfter, pattern) =>
      faults.enqueue(times, { status: 429, retryAfter, global: false }, pattern),
    respondGlobal429: (times, retryAfter, pattern) =>
      faults.enqueue(times, { status: 429, retryAfter, global: true }, pattern),
    respond500: (times, pattern) => faults.enqueue(times, { status: 500 }, pattern),
    loseAnswers: (times, pattern) => faults.enqueue(times, 'lose_answer', pattern),
    slow: (ms) => {
      faults.responseDelayMs = ms;
    },
    dropGateway: (options) => gateway.drop(options),
    askToReconnect: () => gateway.askToReconnect(),
    freezeGateway: (frozen) => gateway.freeze(frozen),
    requireShards: (count) => {
      state.requiredShards = count;
    },
    losePermission: (channelId, name = 'sendMessages') => state.setBotPermission(channelId, name, false),
    regainPermission: (channelId, name = 'sendMessages') => state.setBotPermission(channelId, name, true),
    deleteChannel: (channelId) => state.deleteChannel(channelId),
    closeDirectMessages: (userId, closed = true) => {
      if (closed) state.closedDirectMessages.add(userId);
      else state.closedDirectMessages.delete(userId);
    },
    clear: () => faults.clear(),
  };
}
