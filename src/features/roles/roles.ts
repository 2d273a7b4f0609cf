import type { AttemptResult, RetryLater } from '@tallyhook/platform/attempt-result';
import type { Clock } from '@tallyhook/platform/clock';
import { Routes } from 'discord-api-types/v10';
import type { CommunityId } from '../../core/ledger/account.ts';
import type { MemberRole, RoleContent } from '../../core/outbox/effect-contents.ts';
import { ownerReport } from '../../core/outbox/effect-kind.ts';
import type { Outbox } from '../../core/outbox/outbox.ts';
import type { Handle } from '../../core/outbox/perform.ts';
import type { GrantedRole } from '../../core/rewards/grant.ts';
import { roleTarget } from '../../discord/circuits.ts';
import {
  CircuitOpenError,
  isMendable,
  rejectionOf,
  retryAfterMending,
  retryAlone,
} from '../../discord/discord-errors.ts';
import type { GuildTexts } from '../../discord/languages.ts';
import type { DiscordAPIError, DiscordRest } from '../../discord/rest.ts';
import type { CheckGivenRole } from './given-role-check.ts';
import type { ExplainRoleFailure, RoleFailure } from './role-failure.ts';
import { type RoleState, type RoleStore, roleFailedReport } from './store.ts';

export type RoleGrants = ReturnType<typeof createRoleGrants>;

/** A failure of a role. */
interface SettledFailure extends RoleFailure {
  /** It is to be reported. */
  readonly isNew: boolean;
  /** What waits for somebody to mend it; null if the failure is final. */
  readonly retry: RetryLater | null;
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
  /** Receives the reason why a role cannot be changed, by the queue in which its changes wait, unless that is in vain. */
  onExplained?: (target: string, reason: string, isFinal: boolean) => void;
  textsOf: GuildTexts;
  clock: Clock;
}): Handle<RoleContent> {
  const { rest, grants, checkGivenRole, explainFailure, onExplained = () => {}, textsOf, clock } = options;

  /** Null if it succeeded. */
  async function change(memberRole: MemberRole, isWanted: boolean): Promise<RoleFailure | null> {
    const { guildId, userId, role } = memberRole;
    const failure = isWanted ? await checkGivenRole(memberRole) : null;
    if (failure !== null) return failure;
    const { text } = await textsOf(guildId);
    const route = Routes.guildMemberRole(guildId, userId, role);
    if (isWanted) await rest.put(route, text('role.added'));
    else await rest.delete(route, text('role.removed'));
    return null;
  }

  async function settleFailure(
    { erase, ...memberRole }: RoleContent,
    failure: SettledFailure,
    isWanted: boolean,
  ): Promise<AttemptResult> {
    const { cause, reason, retry } = failure;
    const isGone = cause === 'member_left' || cause === 'role_deleted';
    if (!isWanted && isGone) {
      await grants.roleSettled(memberRole, 'removed', null);
      return { outcome: 'done' };
    }
    if (retry === null) await grants.roleSettled(memberRole, stateAfter(cause), reason);
    // A report would store the id of a forgotten member again.
    if (erase !== true && failure.isNew) await grants.reportOnce({ ...memberRole, cause, reason }, isWanted);
    return retry ?? (cause === 'member_left' ? { outcome: 'done' } : { outcome: 'bury', reason });
  }

  /** Null if it succeeded. */
  async function tryChange(memberRole: MemberRole, isWanted: boolean): Promise<SettledFailure | RetryLater | null> {
    try {
      const failure = await change(memberRole, isWanted);
      return failure && { ...failure, isNew: true, retry: null };
    } catch (error) {
      const rejection = rejectionOf(error instanceof CircuitOpenError ? error.cause : error);
      if (rejection !== null) return explain(rejection, memberRole).catch(retryAlone);
      return error instanceof CircuitOpenError ? settleStop(error, memberRole) : retryAlone(error);
    }
  }

  /** Members wait for a role that Discord rejects, but not for one that they have paid for. */
  async function explain(rejection: DiscordAPIError, memberRole: MemberRole): Promise<SettledFailure> {
    const failure = await explainFailure(rejection, memberRole);
    const { guildId, role } = memberRole;
    const target = roleTarget(guildId, role);
    const isFinal = failure.cause === 'role_deleted' || failure.cause === 'role_managed';
    if (failure.cause !== 'member_left') onExplained(target, failure.reason, isFinal);
    const isWaiting = isMendable(rejection) && !isFinal && !(await grants.isPaidFor(memberRole));
    return { ...failure, isNew: true, retry: isWaiting ? retryAfterMending(target, failure.reason) : null };
  }

  /** Nothing was sent. */
  async function settleStop(error: CircuitOpenError, memberRole: MemberRole): Promise<SettledFailure | RetryLater> {
    const { isFinal, message: reason } = error;
    if (isFinal) return { cause: 'role_deleted', reason, isNew: false, retry: null };
    const isPaidFor = await grants.isPaidFor(memberRole);
    return isPaidFor ? { cause: 'rejected', reason, isNew: false, retry: null } : retryAlone(error);
  }

  return async ({ content }) => {
    const isWanted = await grants.wantsRole(content, clock.now());
    const failure = await tryChange(content, isWanted);
    if (failure !== null) return 'cause' in failure ? settleFailure(content, failure, isWanted) : failure;
    // Another process may have carried out an effect of a later grant meanwhile, before this request arrived.
    if ((await grants.wantsRole(content, clock.now())) !== isWanted) {
      return { outcome: 'later', reason: 'the grants changed during the attempt', scope: 'effects' };
    }
    await grants.roleSettled(content, isWanted ? 'applied' : 'removed', null);
    return { outcome: 'done' };
  };
}

function stateAfter(cause: RoleFailure['cause']): RoleState {
  if (cause === 'member_left') return 'parked';
  return cause === 'role_moderating' ? 'refused' : 'failed';
}

/** The roles that members should have, as they are stored. All methods reject as the store does. */
export function createRoleGrants(options: {
  readonly roles: RoleStore;
  /** Whether the member has paid for the role, and waits for it. */
  readonly isPaidFor: (role: GrantedRole) => Promise<boolean>;
  readonly outbox: Outbox;
  /** The channel for reports to the owner of a guild; null for none. */
  readonly ownerChannelOf: (guildId: string) => { readonly communityId: CommunityId; readonly id: string } | null;
  readonly clock: Clock;
}) {
  const { roles, isPaidFor, outbox, ownerChannelOf, clock } = options;
  return {
    /** Whether any grant of the role lasts at `now` (ms since the epoch). */
    wantsRole: (role: GrantedRole, now: number) => roles.isGranted(role, now),
    /** Stores the result of an effect. */
    roleSettled: ({ guildId, userId, role }: GrantedRole, state: RoleState, _reason: string | null) =>
      roles.settleRole({ guildId, userId, role }, state, clock.now()),
    isPaidFor: ({ guildId, userId, role }: GrantedRole) => isPaidFor({ guildId, userId, role }),
    /**
     * Reports a failure to give or, if it is not wanted, to take a role to the owner, once per role and cause, if the
     * guild has a channel for that.
     */
    async reportOnce(failure: MemberRole & RoleFailure, isWanted: boolean): Promise<void> {
      const { guildId, userId, role, cause, reason } = failure;
      const channel = ownerChannelOf(guildId);
      // Without a grant, the member was forgotten meanwhile.
      if (channel === null || !(await roles.hasGrant({ guildId, userId, role }))) return;
      const failed = { guildId, userId, role, cause, reason };
      const report = isWanted ? failed : { ...failed, isRemoval: true as const };
      const effect = ownerReport(channel.communityId, channel.id, roleFailedReport, report, clock.now());
      await outbox.enqueueReport(`role ${guildId} ${role} ${cause}`, effect);
    },
  };
}
