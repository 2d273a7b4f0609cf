import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
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
import { noCommunity } from '../../core/ledger/account.ts';
import { roleKind } from '../../core/outbox/effect-kind.ts';
import type { Outbox } from '../../core/outbox/outbox.ts';
import { handle } from '../../core/outbox/perform.ts';
import type { GrantedRole } from '../../core/rewards/grant.ts';
import type { RequestGuard } from '../../discord/circuits.ts';
import type { Reply } from '../../discord/commands/reply.ts';
import { fetchBotIdentity } from '../../discord/inspection.ts';
import type { Texts } from '../../texts/texts.ts';
import type { ConsoleCard } from '../parts.ts';
import {
  type FeatureParts,
  type FeatureServices,
  type PartsContext,
  renderReport,
  type ServicesContext,
} from '../parts.ts';
import type { GivenRoleCheck } from './given-role-check.ts';
import { inspectRoles, type RoleAccess } from './inspect-roles.ts';
import { createExplainRoleFailure } from './role-failure.ts';
import { createRoleGrants, createRoleHandler } from './roles.ts';
import { createSeenMembers } from './seen-members.ts';
import type { RoleStore } from './store.ts';
import { type RoleFailureReport, roleFailedReport } from './store.ts';

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
