import type { AttemptResult, RetryLater } from '@tallyhook/platform/attempt-result';
import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { hour, minute, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { memoizeOne } from '@tallyhook/platform/memoize';
import {
  escapeText,
  lines,
  type Markup,
  mention,
  roleMention,
  subtext,
  withMentions,
} from '@tallyhook/platform/texts/markup';
import { html } from '@tallyhook/platform/web/html';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import { Routes } from 'discord-api-types/v10';
import { accountIdOf, type CommunityId, noCommunity } from '../../core/ledger/account.ts';
import { type MemberRole, ownerReport, type RoleContent, roleKind } from '../../core/outbox/effect-kind.ts';
import type { Outbox } from '../../core/outbox/outbox.ts';
import { type Handle, handle } from '../../core/outbox/perform.ts';
import { type QueueName, queueName } from '../../core/outbox/queue.ts';
import type { GrantedRole } from '../../core/rewards/reward.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import { type RequestGuard, roleTarget } from '../../discord/circuits.ts';
import type { CommandInput } from '../../discord/commands/command.ts';
import type { Reply } from '../../discord/commands/reply.ts';
import {
  CircuitOpenError,
  isMendable,
  rejectionOf,
  retryAfterMending,
  retryAlone,
} from '../../discord/discord-errors.ts';
import { fetchBotIdentity } from '../../discord/inspection.ts';
import type { GuildTexts } from '../../discord/languages.ts';
import type { DiscordAPIError, DiscordRest } from '../../discord/rest.ts';
import type { Texts } from '../../texts/texts.ts';
import type { Directory } from '../communities/feature.ts';
import {
  type ConsoleCard,
  type FeatureParts,
  type FeatureServices,
  type PartsContext,
  renderReport,
  type ServicesContext,
} from '../parts.ts';
import { inspectRoles, type RoleAccess } from './inspect-roles.ts';
import {
  type CheckGivenRole,
  createExplainRoleFailure,
  type ExplainRoleFailure,
  type GivenRoleCheck,
  type RoleFailure,
} from './role-failure.ts';
import { type RoleFailureReport, type RoleState, type RoleStore, roleFailedReport } from './store.ts';

const timeoutMs = 2 * second;

/** What the bot may do with the roles of a guild; null if Discord does not say in time. */
export function createRoleAccess({ rest, clock, log }: Pick<ServicesContext, 'rest' | 'clock' | 'log'>) {
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
  return async (guildId: string) => (await settleWithin(timeoutMs, clock, inspect(guildId))) ?? null;
}

const maxReasonLength = 500;

export function createServices(context: ServicesContext & { readonly store: { readonly roles: RoleStore } }) {
  const { roles } = context.store;
  return {
    shared: { roleAccess: createRoleAccess({ ...context, clock: context.stopwatch }) },
    cards: [roleCard(roles)],
    onMemberSeen: createSeenMembers({ ...context, store: roles }),
  } satisfies FeatureServices;
}

export function create(
  context: PartsContext & {
    readonly store: {
      readonly roles: RoleStore;
      readonly shop: { isPaidFor(role: GrantedRole): Promise<boolean> };
      readonly outbox: Outbox;
    };
    readonly guard: Pick<RequestGuard, 'explain'>;
    readonly givenRoles: GivenRoleCheck;
  },
) {
  const { store, rest, guard, givenRoles, guildTexts: textsOf, directory, clock } = context;
  function ownerChannelOf(guildId: string) {
    const { id: communityId = noCommunity, ownerChannelId: id = null } = directory.ofGuild(guildId) ?? {};
    return id === null ? null : { communityId, id };
  }
  const grants = createRoleGrants({ ...store, isPaidFor: store.shop.isPaidFor, ownerChannelOf, clock });
  const explainFailure = createExplainRoleFailure(rest, clock);
  const checks = { checkGivenRole: givenRoles.check, explainFailure, onExplained: guard.explain.bind(guard) };
  return {
    effects: [handle(roleKind, createRoleHandler({ rest, grants, ...checks, textsOf, clock }))],
    ownerReports: [renderReport(roleFailedReport, renderRoleFailure)],
  } satisfies FeatureParts;
}

export function renderRoleFailure(report: RoleFailureReport, texts: Texts): Reply {
  const { text } = texts;
  const failed = text(report.isRemoval ? 'ownerReport.take' : 'ownerReport.give', {
    role: roleMention(report.role),
    user: mention(report.userId),
  });
  return {
    tone: 'bad',
    title: text('ownerReport.roleTitle'),
    text: lines(failed, ...explainRoleFailure(report, texts), subtext(text('ownerReport.once'))),
  };
}

/** Why, and what to do about it. What only Discord can say is in its own words. */
export function explainRoleFailure(
  { role, cause, reason }: Pick<RoleFailureReport, 'role' | 'cause' | 'reason'>,
  texts: Texts,
): readonly Markup[] {
  const { text } = texts;
  const mentioned = roleMention(role);
  switch (cause) {
    case 'missing_permission':
      return [text('setup.problems.manageRoles'), text('setup.problems.manageRolesHint')];
    case 'role_too_high':
      return [
        text('setup.problems.roleAbove', { role: mentioned }),
        text('setup.problems.roleAboveHint', { role: mentioned }),
      ];
    case 'role_managed':
      return [text('setup.problems.managedRole', { role: mentioned }), text('setup.problems.managedRoleHint')];
    case 'role_moderating':
      return [text('setup.problems.moderatingRole', { role: mentioned }), text('setup.problems.moderatingRoleHint')];
    case 'role_deleted':
      return [text('setup.problems.unknownRole'), text('setup.problems.unknownRoleHint')];
    case 'member_left':
      return [text('ownerReport.memberLeft')];
    default:
      return [withMentions(escapeText(reason, maxReasonLength))];
  }
}

/** The roles that members have, and those that Discord has rejected. */
export function roleCard(roles: Pick<RoleStore, 'summary'>): ConsoleCard {
  return {
    id: 'roles',
    title: ({ text }) => text('setup.sections.roles'),
    isScoped: true,
    async render({ memberLink, role: roleName, reason: explain, scope, texts }) {
      const { counts, parked } = await roles.summary(scope?.guildId ?? null);
      const { number } = texts;
      const { text } = texts;
      return html`<dl class="sums">${(['applied', 'pending', 'parked'] as const).map((state) => html`<div><dt>${text(`console.roles.${state}`)}</dt><dd>${number(counts[state])}</dd></div>`)}</dl>
${
  parked.length > 0 &&
  html`<ul class="items">${parked.map(
    ({ userId, role, reason }) =>
      html`<li><div class="line"><h3>${texts.text('setup.fields.milestoneRole')} ${roleName(role)}</h3> <span class="mark bad">${text('console.roles.parked')}</span> ${memberLink(userId)}</div>${reason !== null && html`<p>${explain(reason)}</p>`}</li>`,
  )}</ul>`
}`;
    },
  };
}

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

/** Members that are remembered, so that most commands write nothing. */
const maxMembers = 10_000;
/** How long stored roles are taken as known (ms): another process may have stored others, or the member was forgotten. */
const seenForMs = 10 * minute;
/** How often the roles of a member whose roles are not known, or have not changed, are repaired (ms). */
const repairEveryMs = hour;

/** Called after a member has used a command. */
export type MemberSeen = (input: Pick<CommandInput, 'userId' | 'guildId' | 'roles'>) => void;

/**
 * Notes the roles that multipliers depend on, and has the member's granted roles repaired: at once if the member, whose
 * roles each interaction in a guild names, has other roles than before, such as after a return; otherwise at most once an
 * hour. Errors are logged: the next command tries again.
 */
export function createSeenMembers(options: {
  readonly store: RoleStore;
  readonly directory: Directory;
  /** Polls these queues of the outbox. */
  readonly nudge: (queues: readonly QueueName[]) => void;
  readonly clock: Clock;
  readonly log: Log;
}): MemberSeen {
  const { store, directory, nudge, clock, log } = options;
  const repaired = new BoundedMap<{ readonly roles: string | null; readonly at: number }>(maxMembers);
  const seenRoles = new BoundedMap<{ readonly roles: string; readonly at: number }>(maxMembers);

  function retryNextTime(members: BoundedMap<unknown>, key: string) {
    return (error: unknown) => {
      members.delete(key);
      log.warn({ reason: messageOf(error) }, 'the roles of a member could not be stored');
    };
  }

  /** Only what differs, if the member's roles in the guild are known. A read needs no lock. */
  async function repair({ userId, guildId, roles }: Parameters<MemberSeen>[0]): Promise<void> {
    const now = clock.now();
    const present = guildId === null || roles === null ? null : { guildId, roles };
    const differing = await store.differingGrants(userId, present, now);
    if (differing.length === 0) return;
    await store.repairMember(userId, differing, now);
    const guildIds = [...new Set(differing.map((grant) => grant.guildId))];
    nudge(guildIds.map((id) => queueName('roles', directory.ofGuild(id)?.id ?? noCommunity, id)));
  }

  return (input) => {
    const { userId, guildId, roles } = input;
    const listings = listingsSeenIn(directory, guildId);
    const grantsRoles = listings.some(({ community }) => community.guildId !== null);
    const member = `${guildId ?? ''} ${userId}`;
    const last = repaired.get(member);
    const present = roles === null ? null : roles.toSorted().join();
    const isRecent = last !== undefined && clock.monotonic() - last.at < repairEveryMs;
    if (grantsRoles && !(isRecent && last.roles === present)) {
      repaired.set(member, { roles: present, at: clock.monotonic() });
      repair(input).catch(retryNextTime(repaired, member));
    }
    const multiplied = multipliedRoles(listings);
    if (roles === null || multiplied.size === 0) return;
    const [listing] = listings;
    if (listing === undefined) return;
    const accountId = accountIdOf(listing.community.id, userId);
    const seen = roles.filter((role) => multiplied.has(role)).sort();
    const known = seenRoles.get(accountId);
    const now = clock.monotonic();
    if (known?.roles === seen.join() && now - known.at < seenForMs) return;
    seenRoles.set(accountId, { roles: seen.join(), at: now });
    store.seeRoles(accountId, seen).catch(retryNextTime(seenRoles, accountId));
  };
}

/**
 * The listings of the guild; of one without listings, those whose guild is not known, unless others share the program.
 * The roles of another guild say nothing about a listing.
 */
export function listingsSeenIn(directory: Directory, guildId: string | null): readonly ListingContext[] {
  if (guildId === null) return directory.inGuild(null)[0]?.listings ?? [];
  const unknown = directory.isShared ? undefined : directory.ofGuild(null);
  return (directory.ofGuild(guildId) ?? unknown)?.listings ?? [];
}

const multipliedRoles = memoizeOne(
  (listings: readonly ListingContext[]): ReadonlySet<string> =>
    new Set(listings.flatMap(({ rewards }) => rewards.multipliers.flatMap(({ role }) => role ?? []))),
);
