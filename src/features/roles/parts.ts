import type { AttemptResult, RetryLater } from '@tallyhook/platform/attempt-result';
import { BoundedMap } from '@tallyhook/platform/bounded-map';
import { hour, minute, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
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
import { z } from 'zod';
import { accountIdOf, noCommunity } from '../../core/ledger/account.ts';
import { type MemberRole, ownerReport, type RoleContent, roleKind } from '../../core/outbox/effect-kind.ts';
import type { Outbox } from '../../core/outbox/outbox.ts';
import { type Handle, handle } from '../../core/outbox/perform.ts';
import { queueName } from '../../core/outbox/queue.ts';
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
import { fetchUser } from '../../discord/inspection.ts';
import type { DiscordAPIError } from '../../discord/rest.ts';
import type { Texts } from '../../texts/texts.ts';
import type { Directory } from '../communities/feature.ts';
import { hiddenRolesOf } from '../guards/feature.ts';
import {
  type ConsoleCard,
  type FeatureParts,
  type FeatureServices,
  type PartsContext,
  renderReport,
  type ServicesContext,
} from '../parts.ts';
import { inspectRoles, type RoleAccess } from './inspect-roles.ts';
import { createExplainRoleFailure, type GivenRoleCheck, GuildReads, type RoleFailure } from './role-failure.ts';
import { explainRoleIssue, roleIssues } from './role-issue.ts';
import {
  type RoleFailureReport,
  type RoleState,
  type RoleStore,
  roleFailedReport,
  type UnseenVoter,
  voterRolesKind,
} from './store.ts';

const timeoutMs = 2 * second;

/** The bot's access to the roles of a guild; null if Discord does not say in time. */
export function createRoleAccess({ rest, clock, log }: Pick<ServicesContext, 'rest' | 'clock' | 'log'>) {
  let botUserId: string | null = null;
  async function inspect(guildId: string): Promise<RoleAccess | null> {
    try {
      botUserId ??= (await fetchUser(rest)).id;
      return await inspectRoles(rest, { guildId, userId: botUserId });
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'the order of the roles could not be read');
      return null;
    }
  }
  return async (guildId: string) => (await settleWithin(timeoutMs, clock, inspect(guildId))) ?? null;
}

const maxReasonLength = 500;
/** The time for which members who open the shop of a guild share what Discord says of its roles (ms). */
const maxRoleAgeMs = 5 * second;

export function createServices(context: ServicesContext & { readonly store: { readonly roles: RoleStore } }) {
  const { store, stopwatch } = context;
  const { roles } = store;
  const roleAccess = createRoleAccess({ ...context, clock: stopwatch });
  return {
    shared: { roleAccess, reusedRoleAccess: new GuildReads(roleAccess, maxRoleAgeMs, stopwatch).read },
    cards: [roleCard(roles)],
    onMemberSeen: createSeenMembers(context),
  } satisfies FeatureServices;
}

export function create(context: PartsContext & RoleContext) {
  return {
    effects: [handle(roleKind, createRoleHandler(context)), handle(voterRolesKind, createVoterRolesHandler(context))],
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

/** The reason, and what to do about it. What only Discord can say is in its own words. */
export function explainRoleFailure(
  { role, cause, reason }: Pick<RoleFailureReport, 'role' | 'cause' | 'reason'>,
  texts: Texts,
): readonly Markup[] {
  if (cause === 'member_left') return [texts.text('ownerReport.memberLeft')];
  const issue = roleIssues.find((each) => each === cause);
  if (issue === undefined) return [withMentions(escapeText(reason, maxReasonLength))];
  return explainRoleIssue(issue, role, texts);
}

/** The roles that members have, and those that Discord has rejected. */
export function roleCard(roles: Pick<RoleStore, 'summary'>): ConsoleCard {
  return {
    id: 'roles',
    title: ({ text }) => text('setup.sections.roles'),
    isScoped: true,
    async render({ memberLinks, role: roleName, reason: explain, scope, texts }) {
      const { counts, parked } = await roles.summary(scope?.guildId ?? null);
      const memberLink = await memberLinks(parked.map(({ userId }) => userId));
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

interface RoleContext extends Pick<PartsContext, 'rest' | 'guildTexts' | 'clock'> {
  readonly directory: Pick<Directory, 'ofGuild'>;
  readonly store: {
    readonly roles: RoleStore;
    readonly shop: { isPaidFor(role: GrantedRole): Promise<boolean> };
    readonly outbox: Pick<Outbox, 'enqueueReport'>;
  };
  readonly guard: Pick<RequestGuard, 'explain'>;
  readonly givenRoles: GivenRoleCheck;
}

interface SettledFailure extends RoleFailure {
  readonly isNew: boolean;
  /** The wait for somebody to mend it; null if the failure is final. */
  readonly retry: RetryLater | null;
}

/**
 * Makes a member's role in Discord match the grants at the time of the attempt. Adding and removing are idempotent, so
 * an attempt with an unknown result is repeated. Rejects as the store does.
 */
export function createRoleHandler(context: RoleContext): Handle<RoleContent> {
  const { store, rest, guard, givenRoles, guildTexts, directory, clock } = context;
  const explainFailure = createExplainRoleFailure(rest, clock);
  const isGranted = (role: GrantedRole) => store.roles.isGranted(role, clock.now());

  /** Null if it succeeded. */
  async function change(memberRole: MemberRole, isWanted: boolean): Promise<RoleFailure | null> {
    const { guildId, userId, role } = memberRole;
    const failure = isWanted ? await givenRoles.check(memberRole) : null;
    if (failure !== null) return failure;
    const { text } = await guildTexts(guildId);
    const route = Routes.guildMemberRole(guildId, userId, role);
    if (isWanted) await rest.put(route, text('role.added'));
    else await rest.delete(route, text('role.removed'));
    return null;
  }

  async function settleFailure(
    { erase, ...memberRole }: RoleContent,
    { cause, reason, retry, isNew }: SettledFailure,
    isWanted: boolean,
  ): Promise<AttemptResult> {
    const isGone = cause === 'member_left' || cause === 'role_deleted';
    if (!isWanted && isGone) {
      await store.roles.settleRole(memberRole, 'removed', clock.now());
      return { outcome: 'done' };
    }
    if (retry === null) await store.roles.settleRole(memberRole, stateAfter(cause), clock.now());
    // A report would store the id of a forgotten member again.
    if (erase !== true && isNew) await reportOnce({ ...memberRole, cause, reason }, isWanted);
    return retry ?? (cause === 'member_left' ? { outcome: 'done' } : { outcome: 'bury', reason });
  }

  /** Once per role and cause, if the guild has a channel for that. */
  async function reportOnce(failure: MemberRole & RoleFailure, isWanted: boolean): Promise<void> {
    const { guildId, role, cause } = failure;
    const { id: communityId = noCommunity, ownerChannelId = null } = directory.ofGuild(guildId) ?? {};
    // Without a grant, the member was forgotten meanwhile.
    if (ownerChannelId === null || !(await store.roles.hasGrant(failure))) return;
    const report = isWanted ? failure : { ...failure, isRemoval: true as const };
    const effect = ownerReport(communityId, ownerChannelId, roleFailedReport, report, clock.now());
    await store.outbox.enqueueReport(`role ${guildId} ${role} ${cause}`, effect);
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
    const target = roleTarget(memberRole.guildId, memberRole.role);
    const isFinal = failure.cause === 'role_deleted' || failure.cause === 'role_managed';
    if (failure.cause !== 'member_left') guard.explain(target, failure.reason, isFinal);
    const isWaiting = isMendable(rejection) && !isFinal && !(await store.shop.isPaidFor(memberRole));
    return { ...failure, isNew: true, retry: isWaiting ? retryAfterMending(target, failure.reason) : null };
  }

  /** Nothing was sent. */
  async function settleStop(error: CircuitOpenError, memberRole: MemberRole): Promise<SettledFailure | RetryLater> {
    const { isFinal, message: reason } = error;
    if (!isFinal && !(await store.shop.isPaidFor(memberRole))) return retryAlone(error);
    return { cause: isFinal ? 'role_deleted' : 'rejected', reason, isNew: false, retry: null };
  }

  return async ({ content }) => {
    const isWanted = await isGranted(content);
    const failure = await tryChange(content, isWanted);
    if (failure !== null) return 'cause' in failure ? settleFailure(content, failure, isWanted) : failure;
    // Another process may have carried out an effect of a later grant meanwhile, before this request arrived.
    if ((await isGranted(content)) !== isWanted) {
      return { outcome: 'later', reason: 'the grants changed during the attempt', scope: 'effects' };
    }
    await store.roles.settleRole(content, isWanted ? 'applied' : 'removed', clock.now());
    return { outcome: 'done' };
  };
}

function stateAfter(cause: RoleFailure['cause']): RoleState {
  if (cause === 'member_left') return 'parked';
  return cause === 'role_moderating' ? 'refused' : 'failed';
}

/** Members that are remembered, so that most commands write nothing. */
const maxMembers = 10_000;
/** How long stored roles are taken as known (ms): another process may have stored others, or the member was forgotten. */
const seenForMs = 10 * minute;
/** How often the roles of a member whose roles are not known, or have not changed, are repaired (ms). */
const repairEveryMs = hour;

/**
 * Notes the roles that multipliers and leaderboards depend on, after a member has used a command, and has the member's granted roles
 * repaired: at once if the member, whose roles each interaction in a guild names, has other roles than before, such as
 * after a return; otherwise at most once an hour. Errors are logged: the next command tries again.
 */
export function createSeenMembers({
  store: { roles: store },
  directory,
  nudge,
  clock,
  log,
}: Pick<ServicesContext, 'directory' | 'nudge' | 'clock' | 'log'> & { readonly store: { readonly roles: RoleStore } }) {
  const repaired = new BoundedMap<{ readonly roles: string | null; readonly at: number }>(maxMembers);
  const seenRoles = new BoundedMap<{ readonly roles: string; readonly at: number }>(maxMembers);

  function retryNextTime(members: BoundedMap<unknown>, key: string) {
    return (error: unknown) => {
      members.delete(key);
      log.warn({ reason: messageOf(error) }, 'the roles of a member could not be stored');
    };
  }

  /** Plans the changes of a member's roles, of those alone that differ if they are known. A read needs no lock. */
  async function repair({ userId, guildId, roles }: SeenMember): Promise<void> {
    const now = clock.now();
    const present = guildId === null || roles === null ? null : { guildId, roles };
    const differing = await store.differingGrants(userId, present, now);
    if (differing.length === 0) return;
    await store.repairMember(userId, differing, now);
    const guildIds = [...new Set(differing.map((grant) => grant.guildId))];
    nudge(guildIds.map((id) => queueName('roles', directory.ofGuild(id)?.id ?? noCommunity, id)));
  }

  return (input: SeenMember): void => {
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
    const noted = notedRoles(listings);
    if (roles === null || noted.size === 0) return;
    const [listing] = listings;
    if (listing === undefined) return;
    const accountId = accountIdOf(listing.community.id, userId);
    const seen = roles.filter((role) => noted.has(role)).sort();
    const known = seenRoles.get(accountId);
    const now = clock.monotonic();
    if (known?.roles === seen.join() && now - known.at < seenForMs) return;
    seenRoles.set(accountId, { roles: seen.join(), at: now });
    store.seeRoles(accountId, seen).catch(retryNextTime(seenRoles, accountId));
  };
}

const guildMember = z.object({ roles: z.array(z.string()) });

/** Notes the roles of a member who has voted. Of somebody who is not in the guild, those last seen are kept. */
function createVoterRolesHandler({ rest, directory, store }: PartsContext & RoleContext): Handle<UnseenVoter> {
  return async ({ content: { guildId, userId } }) => {
    const listings = listingsSeenIn(directory, guildId);
    const [listing] = listings;
    if (listing === undefined) return { outcome: 'done' };
    try {
      const { data: member } = guildMember.safeParse(await rest.get(Routes.guildMember(guildId, userId)));
      const noted = notedRoles(listings);
      const seen = member?.roles.filter((role) => noted.has(role)).sort();
      if (seen !== undefined) await store.roles.seeRoles(accountIdOf(listing.community.id, userId), seen);
    } catch (error) {
      if (rejectionOf(error) === null) return retryAlone(error);
    }
    return { outcome: 'done' };
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

type SeenMember = Pick<CommandInput, 'userId' | 'guildId' | 'roles'>;

const notedRoles = memoizeOne(
  (listings: readonly ListingContext[]): ReadonlySet<string> =>
    new Set([
      ...listings.flatMap(({ rewards }) => rewards.multipliers.flatMap(({ role }) => role ?? [])),
      ...hiddenRolesOf(listings),
    ]),
);
