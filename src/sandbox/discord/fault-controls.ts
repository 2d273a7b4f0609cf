import type { DiscordState } from './discord-state.ts';
import type { Gateway } from './gateway.ts';
import type { InjectedFaults } from './injected-faults.ts';
import type { PermissionName } from './permissions.ts';

/** Faults that can be switched on. `only` restricts one to requests whose "METHOD /path" it matches. */
export interface FaultControls {
  /** Discord cannot be reached: connections are cut, the gateway's too. For good, for so many ms, or (false) no longer. */
  outage(lasts: boolean | number): void;
  /** The next `times` requests are answered with 429; `retryAfter` in seconds. */
  respond429(times: number, retryAfter: number, only?: RegExp): void;
  /** The same for the rate limit on all requests of the bot. */
  respondGlobal429(times: number, retryAfter: number, only?: RegExp): void;
  respond500(times: number, only?: RegExp): void;
  /** The next `times` requests are carried out, but the connection is cut before the answer. */
  loseAnswers(times: number, only?: RegExp): void;
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

export function faultControls(faults: InjectedFaults, world: DiscordState, gateway: Gateway): FaultControls {
  return {
    outage: (lasts) => {
      faults.setOutage(lasts);
      if (faults.outage) gateway.drop({ resumable: true });
    },
    respond429: (times, retryAfter, only) => faults.plan(times, { status: 429, retryAfter, global: false }, only),
    respondGlobal429: (times, retryAfter, only) => faults.plan(times, { status: 429, retryAfter, global: true }, only),
    respond500: (times, only) => faults.plan(times, { status: 500 }, only),
    loseAnswers: (times, only) => faults.plan(times, 'lose_answer', only),
    slow: (ms) => {
      faults.delay = ms;
    },
    dropGateway: (how) => gateway.drop(how),
    askToReconnect: () => gateway.askToReconnect(),
    freezeGateway: (frozen) => gateway.freeze(frozen),
    requireShards: (count) => {
      world.requiredShards = count;
    },
    losePermission: (channelId, name = 'sendMessages') => world.setBotPermission(channelId, name, false),
    regainPermission: (channelId, name = 'sendMessages') => world.setBotPermission(channelId, name, true),
    deleteChannel: (channelId) => world.deleteChannel(channelId),
    closeDirectMessages: (userId, closed = true) => {
      if (closed) world.closedDirectMessages.add(userId);
      else world.closedDirectMessages.delete(userId);
    },
    clear: () => faults.clear(),
  };
}
