import type { OwnerReports } from '../../core/outbox/effect-contents.ts';
import type { Outbox } from '../../core/outbox/outbox.ts';
import type { GrantedRole } from '../../core/rewards/grant.ts';
import type { RequestGuard } from '../../discord/circuits/request-guard.ts';
import type { Reply } from '../../discord/commands/reply.ts';
import { escapeText, lines, type Markup, mention, roleMention, subtext, withMentions } from '../../texts/markup.ts';
import type { Texts } from '../../texts/texts.ts';
import type { FeatureParts, FeatureServices, PartsContext, ServicesContext } from '../parts.ts';
import { roleCard } from './card.ts';
import type { GivenRoleCheck } from './given-role-check.ts';
import { createRoleAccess } from './role-access.ts';
import { createExplainRoleFailure } from './role-failure.ts';
import { createRoleGrants } from './role-grants.ts';
import { createRoleHandler } from './roles.ts';
import { createSeenMembers } from './seen-members.ts';
import type { RoleStore } from './store.ts';

const maxReasonLength = 500;

export function createServices({
  store,
  rest,
  directory,
  clock,
  stopwatch,
  log,
}: ServicesContext & { readonly store: { readonly roles: RoleStore } }) {
  return {
    shared: { roleAccess: createRoleAccess({ rest, clock: stopwatch, log }) },
    cards: [roleCard(store.roles)],
    onMemberSeen: createSeenMembers({ store: store.roles, directory, clock, log }),
  } satisfies FeatureServices;
}

export function create({
  store: { roles, shop, outbox },
  rest,
  guard,
  givenRoles,
  guildTexts,
  directory,
  clock,
}: PartsContext & {
  readonly store: {
    readonly roles: RoleStore;
    readonly shop: { isPaidFor(role: GrantedRole): Promise<boolean> };
    readonly outbox: Outbox;
  };
  readonly guard: Pick<RequestGuard, 'explain'>;
  readonly givenRoles: GivenRoleCheck;
}) {
  const ownerChannelOf = (guildId: string) => directory.ofGuild(guildId)?.ownerChannelId ?? null;
  return {
    effects: {
      role: createRoleHandler({
        rest,
        grants: createRoleGrants({ roles, isPaidFor: shop.isPaidFor, outbox, ownerChannelOf, clock }),
        checkGivenRole: givenRoles.check,
        explainFailure: createExplainRoleFailure(rest, clock),
        onExplained: guard.explain,
        textsOf: guildTexts,
        clock,
      }),
    },
    ownerReports: { roleFailed: renderRoleFailure },
  } satisfies FeatureParts;
}

export function renderRoleFailure(report: OwnerReports['roleFailed'], texts: Texts): Reply {
  const { title, give, take, once } = texts.ownerReport.roleFailed;
  const failed = (report.isRemoval ? take : give)(roleMention(report.role), mention(report.userId));
  return { tone: 'bad', title, text: lines(failed, ...explainRoleFailure(report, texts), subtext(once)) };
}

/** Why, and what to do about it. What only Discord can say is in its own words. */
export function explainRoleFailure(
  { role, cause, reason }: Pick<OwnerReports['roleFailed'], 'role' | 'cause' | 'reason'>,
  texts: Texts,
): readonly Markup[] {
  const { problems } = texts.setup;
  const mentioned = roleMention(role);
  switch (cause) {
    case 'missing_permission':
      return [problems.manageRoles, problems.manageRolesHint];
    case 'role_too_high':
      return [problems.roleAbove(mentioned), problems.roleAboveHint(mentioned)];
    case 'role_managed':
      return [problems.managedRole(mentioned), problems.managedRoleHint];
    case 'role_moderating':
      return [problems.moderatingRole(mentioned), problems.moderatingRoleHint];
    case 'role_deleted':
      return [problems.unknownRole, problems.unknownRoleHint];
    case 'member_left':
      return [texts.ownerReport.roleFailed.memberLeft];
    default:
      return [withMentions(escapeText(reason, maxReasonLength))];
  }
}
