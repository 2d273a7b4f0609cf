import { fetchBotIdentity } from '../../discord/inspection.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import type { Clock } from '../../platform/clock.ts';
import { second } from '../../platform/durations.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { settleWithin } from '../../platform/with-timeout.ts';
import { inspectRoles, type RoleAccess } from './inspect-roles.ts';

const timeoutMs = 2 * second;

/** What the bot may do with the roles of a guild; null if Discord does not say in time. */
export function createRoleAccess(options: {
  readonly rest: DiscordRest;
  readonly clock: Clock;
  readonly log: Log;
}): (guildId: string) => Promise<RoleAccess | null> {
  const { rest, clock, log } = options;
  let botUserId: string | null = null;
  async function inspect(guildId: string): Promise<RoleAccess | null> {
    try {
      botUserId ??= (await fetchBotIdentity(rest)).userId;
      return await inspectRoles(rest, { guildId, userId: botUserId });
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'the order of the roles could not be read');
      return null;
    }
  }
  return async (guildId) => (await settleWithin(timeoutMs, clock, inspect(guildId))) ?? null;
}
