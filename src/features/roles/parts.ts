import type { OwnerReports } from '../../core/outbox/effect-contents.ts';
import type { Outbox } from '../../core/outbox/outbox.ts';
import type { GrantedRole } from '../../core/rewards/grant.ts';
import type { RequestGuard } from '../../discord/circuits/request-guard.ts';
import type { Reply } from '../../discord/commands/reply.ts';
import { escapeText, lines, mention, roleMention, subtext } from '../../texts/markup.ts';
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

export function renderRoleFailure({ role, userId, reason }: OwnerReports['roleFailed'], texts: Texts): Reply {
  const { title, text, once } = texts.ownerReport.roleFailed;
  const failure = text(roleMention(role), mention(userId), escapeText(reason, maxReasonLength));
  return { tone: 'bad', title, text: lines(failure, subtext(once)) };
}
