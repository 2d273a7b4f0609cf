import { Routes } from 'discord.js';
import type { AttemptResult, RetryLater } from '../../outbox/effect.ts';
import type { MemberRole, RoleContent } from '../../outbox/effect-contents.ts';
import type { EffectHandlers } from '../../outbox/perform.ts';
import type { Clock } from '../../platform/clock.ts';
import { rejectionOf, retryAlone } from '../discord-errors.ts';
import type { GuildTexts } from '../guild-languages.ts';
import type { DiscordRest } from '../rest.ts';
import type { CheckGivenRole } from './given-role-check.ts';
import type { ExplainRoleFailure, RoleFailure } from './role-failure.ts';

/**
 * The state of a member's role in Discord after an effect. `parked`: the member is not in the server, so the role is
 * given after a return. `failed`: Discord rejects the change permanently. `refused`: it was not added, but the member
 * may have it from an earlier attempt.
 */
export type RoleState = 'applied' | 'removed' | 'parked' | 'failed' | 'refused';

/** The roles that members should have, as they are stored. All methods reject as the store does. */
export interface RoleGrants {
  /** Whether any grant of the role lasts at `now` (ms since the epoch). */
  wantsRole(userId: string, role: string, now: number): Promise<boolean>;
  /** Stores the result of an effect; `reason` is null if it succeeded. */
  roleSettled(userId: string, role: string, state: RoleState, reason: string | null): Promise<void>;
  /** Reports a failure to the owner, once per role and cause. */
  reportOnce(failure: MemberRole & RoleFailure): Promise<void>;
}

/**
 * Makes a member's role in Discord match the grants at the time of the attempt. Adding and removing are idempotent, so
 * an attempt with an unknown result is repeated. Rejects as {@link RoleGrants} does.
 */
export function createRoleHandler(options: {
  rest: DiscordRest;
  grants: RoleGrants;
  checkGivenRole: CheckGivenRole;
  explainFailure: ExplainRoleFailure;
  textsOf: GuildTexts;
  clock: Clock;
}): NonNullable<EffectHandlers['role']> {
  const { rest, grants, checkGivenRole, explainFailure, textsOf, clock } = options;

  /** Null if it succeeded. */
  async function change(memberRole: MemberRole, isWanted: boolean): Promise<RoleFailure | null> {
    const { guildId, userId, role } = memberRole;
    const failure = isWanted ? await checkGivenRole(memberRole) : null;
    if (failure !== null) return failure;
    const { role: reasons } = await textsOf(guildId);
    const route = Routes.guildMemberRole(guildId, userId, role);
    if (isWanted) await rest.put(route, reasons.added);
    else await rest.delete(route, reasons.removed);
    return null;
  }

  async function settleFailure(
    { erase, ...memberRole }: RoleContent,
    failure: RoleFailure,
    isWanted: boolean,
  ): Promise<AttemptResult> {
    const { userId, role } = memberRole;
    const { cause, reason } = failure;
    const isGone = cause === 'member_left' || cause === 'role_deleted';
    if (!isWanted && isGone) {
      await grants.roleSettled(userId, role, 'removed', null);
      return { outcome: 'done' };
    }
    await grants.roleSettled(userId, role, stateAfter(cause), reason);
    // A report would store the id of a forgotten member again.
    if (erase !== true) await grants.reportOnce({ ...memberRole, ...failure });
    return cause === 'member_left' ? { outcome: 'done' } : { outcome: 'bury', reason };
  }

  /** Null if it succeeded. */
  async function tryChange(memberRole: MemberRole, isWanted: boolean): Promise<RoleFailure | RetryLater | null> {
    try {
      return await change(memberRole, isWanted);
    } catch (error) {
      const rejection = rejectionOf(error);
      if (rejection === null) return retryAlone(error);
      return explainFailure(rejection, memberRole).catch(retryAlone);
    }
  }

  return async ({ content }) => {
    const { userId, role } = content;
    const isWanted = await grants.wantsRole(userId, role, clock.now());
    const failure = await tryChange(content, isWanted);
    if (failure !== null) return 'cause' in failure ? settleFailure(content, failure, isWanted) : failure;
    // Another process may have carried out an effect of a later grant meanwhile, before this request arrived.
    if ((await grants.wantsRole(userId, role, clock.now())) !== isWanted) {
      return { outcome: 'later', reason: 'the grants changed during the attempt', scope: 'effects' };
    }
    await grants.roleSettled(userId, role, isWanted ? 'applied' : 'removed', null);
    return { outcome: 'done' };
  };
}

function stateAfter(cause: RoleFailure['cause']): RoleState {
  if (cause === 'member_left') return 'parked';
  return cause === 'role_moderating' ? 'refused' : 'failed';
}
