import { describe, expect, it, onTestFinished } from 'vitest';
import { Circuits } from '../../src/discord/circuits/circuits.ts';
import type { GuardedRequest, RequestGuard } from '../../src/discord/circuits/request-guard.ts';
import { targetOf } from '../../src/discord/circuits/request-target.ts';
import { rejectionOf } from '../../src/discord/discord-errors.ts';
import { createDiscordRest } from '../../src/discord/rest.ts';
import { createGivenRoleCheck } from '../../src/discord/roles/given-role-check.ts';
import { createExplainRoleFailure, type RoleFailure } from '../../src/discord/roles/role-failure.ts';
import { createRoleHandler, type RoleGrants } from '../../src/discord/roles/roles.ts';
import type { Effect } from '../../src/outbox/effect.ts';
import type { MemberRole } from '../../src/outbox/effect-contents.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { textsIn } from '../../src/texts/texts.ts';
import { createOffsetClock } from '../support/offset-clock.ts';
import { localDiscord } from './bot.ts';

const en = textsIn('en-US');

/** Grants in memory, as the ends of the roles that members should have. */
function memoryGrants() {
  const ends = new Map<string, number>();
  const settled: unknown[] = [];
  const reported: (MemberRole & RoleFailure)[] = [];
  const paidFor = new Set<string>();
  let onSettled = () => {};
  const key = (userId: string, role: string) => `${userId} ${role}`;
  const port: RoleGrants = {
    wantsRole: async (userId, role, now) => (ends.get(key(userId, role)) ?? 0) > now,
    async roleSettled(...args) {
      settled.push(args);
      onSettled();
    },
    isPaidFor: async (userId) => paidFor.has(userId),
    async reportOnce(failure) {
      const isSame = ({ role, cause }: typeof failure) => role === failure.role && cause === failure.cause;
      if (!reported.some(isSame)) reported.push(failure);
    },
  };
  return {
    port,
    paidFor,
    settled,
    reported,
    grant: (userId: string, role: string, end = Number.POSITIVE_INFINITY) => void ends.set(key(userId, role), end),
    revoke: (userId: string, role: string) => void ends.delete(key(userId, role)),
    onSettled: (run: () => void) => {
      onSettled = run;
    },
  };
}

/** Circuits of this process alone. */
function guardWith(circuits: Circuits): Pick<RequestGuard, 'admit' | 'accepted' | 'rejected'> {
  const requestOf = ({ method, route, hasFiles }: GuardedRequest) => {
    const target = method === 'get' ? null : targetOf(route);
    return target && { queue: target.queue, guildId: null, hasFiles };
  };
  return {
    admit(request) {
      const target = requestOf(request);
      if (target !== null) circuits.admit(target);
    },
    accepted: () => {},
    rejected(request, error) {
      const [target, rejection] = [requestOf(request), rejectionOf(error)];
      return target === null || rejection === null ? error : circuits.rejected(target, rejection, () => 'rejected');
    },
  };
}

async function handling(changes: { token?: string; stops?: boolean } = {}) {
  const discord = await localDiscord({ rateLimits: false });
  const grants = memoryGrants();
  const clock = createOffsetClock();
  const circuits = new Circuits(systemClock, () => {});
  const rest = createDiscordRest({
    ...{ token: changes.token ?? discord.token, apiUrl: discord.apiUrl },
    ...(changes.stops && { guard: guardWith(circuits) }),
  });
  const handle = createRoleHandler({
    ...{
      rest,
      grants: grants.port,
      checkGivenRole: createGivenRoleCheck(rest, clock).check,
      explainFailure: createExplainRoleFailure(rest, systemClock),
      onExplained: (queue, reason) => circuits.explain(queue, reason),
      textsOf: async () => en,
    },
    clock: systemClock,
  });
  const userId = discord.members[1]?.id ?? '';
  const perform = (role: string = discord.roles.voter, member = userId, erase?: true) => {
    const content = { guildId: discord.guildId, userId: member, role, ...(erase && { erase }) };
    const queue = `role ${discord.guildId}`;
    const effect: Effect<'role'> = {
      ...{ id: 1, deliveryId: null, kind: 'role', queue, content, attempts: 1, createdAt: 0, nonce: 'nonce' },
      possiblySentSince: null,
    };
    return handle(effect);
  };
  const roles = () => discord.rolesOf(userId);
  const changesSent = () => discord.requests.filter(({ method }) => method === 'PUT' || method === 'DELETE');
  const rolesRead = () => discord.requests.filter(({ path }) => path.endsWith(`/guilds/${discord.guildId}/roles`));
  return { discord, grants, circuits, perform, roles, userId, changesSent, rolesRead, clock };
}

describe('a role effect', () => {
  it('adds the role while a grant lasts, and removes it afterwards', async () => {
    const { discord, grants, perform, roles, userId } = await handling();
    const { voter } = discord.roles;
    grants.grant(userId, voter, Date.now() + 60_000);
    expect(await perform()).toEqual({ outcome: 'done' });
    expect(roles()).toEqual([voter]);
    expect(await perform()).toEqual({ outcome: 'done' });
    expect(roles()).toEqual([voter]);
    grants.grant(userId, voter, Date.now() - 1);
    expect(await perform()).toEqual({ outcome: 'done' });
    expect(roles()).toEqual([]);
    expect(await perform()).toEqual({ outcome: 'done' });
    const [applied, removed] = (['applied', 'removed'] as const).map((state) => [userId, voter, state, null]);
    expect(grants.settled).toEqual([applied, applied, removed, removed]);
    expect(grants.reported).toEqual([]);
  });

  it('has a reason in the audit log', async () => {
    const { discord, grants, perform, userId, changesSent } = await handling();
    grants.grant(userId, discord.roles.voter);
    await perform();
    grants.revoke(userId, discord.roles.voter);
    await perform();
    expect(changesSent().map(({ headers }) => decodeURIComponent(headers['x-audit-log-reason'] ?? ''))).toEqual([
      en.role.added,
      en.role.removed,
    ]);
  });

  it('is repeated if the grants changed during the attempt', async () => {
    const { discord, grants, perform, roles, userId } = await handling();
    grants.grant(userId, discord.roles.voter);
    discord.events.on('request', ({ method }) => {
      if (method === 'PUT') grants.revoke(userId, discord.roles.voter);
    });
    expect(await perform()).toMatchObject({ outcome: 'later', scope: 'effects' });
    expect(grants.settled).toEqual([]);
    expect(await perform()).toEqual({ outcome: 'done' });
    expect(roles()).toEqual([]);
  });

  it('of a forgotten member is not reported if it fails', async () => {
    const { discord, grants, perform, userId } = await handling();
    expect(await perform(discord.roles.moderator, userId, true)).toMatchObject({ outcome: 'bury' });
    expect(grants.reported).toEqual([]);
  });

  it('may be repeated if its response was lost', async () => {
    const { discord, grants, perform, roles, userId } = await handling();
    grants.grant(userId, discord.roles.voter);
    discord.faults.loseAnswers(1);
    expect(await perform()).toMatchObject({ outcome: 'later' });
    expect(await perform()).toEqual({ outcome: 'done' });
    expect(roles()).toEqual([discord.roles.voter]);
  });

  it.each<[string, string, (fixture: Awaited<ReturnType<typeof handling>>) => string]>([
    ['role_too_high', 'Move the role of the bot above it', ({ discord }) => discord.roles.moderator],
    ['role_managed', 'Configure another role', ({ discord }) => discord.roles.bot],
    ['role_deleted', '(10011). Configure another role', () => '404'],
    [
      'missing_permission',
      'Manage Roles',
      ({ discord }) => {
        discord.faults.loseGuildPermission('manageRoles');
        return discord.roles.voter;
      },
    ],
    [
      'role_deleted',
      '(10011)',
      ({ discord }) => {
        discord.guild.deleteRole(discord.roles.vip);
        return discord.roles.vip;
      },
    ],
  ])('that fails because of %s is buried with a hint, and reported once', async (cause, hint, prepare) => {
    const fixture = await handling();
    const { grants, perform, userId } = fixture;
    const role = prepare(fixture);
    grants.grant(userId, role);
    for (const _ of [1, 2]) {
      expect(await perform(role)).toEqual({ outcome: 'bury', reason: expect.stringContaining(hint) });
    }
    expect(grants.reported).toMatchObject([{ cause, userId, role, reason: expect.stringContaining(hint) }]);
    expect(grants.settled[0]).toEqual([userId, role, 'failed', grants.reported[0]?.reason]);
  });

  it('reads the roles of the guild once for a series of failures', async () => {
    const { discord, grants, perform, userId } = await handling();
    grants.grant(userId, discord.roles.moderator);
    for (let count = 0; count < 5; count += 1) await perform(discord.roles.moderator);
    expect(discord.requests.filter(({ method }) => method === 'GET')).toHaveLength(4);
  });

  it('does not add a role that has got permissions of a moderator, and reports it once', async () => {
    const { discord, grants, perform, roles, userId, changesSent, rolesRead, clock } = await handling();
    const { voter } = discord.roles;
    grants.grant(userId, voter);
    discord.guild.setRolePermissions(voter, ['administrator']);
    const reason = expect.stringContaining('has permissions of a moderator');
    for (let count = 0; count < 5; count += 1) expect(await perform()).toEqual({ outcome: 'bury', reason });
    expect([roles(), changesSent()]).toEqual([[], []]);
    expect(grants.reported).toMatchObject([{ cause: 'role_moderating', userId, role: voter, reason }]);
    expect(grants.settled[0]).toEqual([userId, voter, 'refused', reason]);
    expect(rolesRead()).toHaveLength(1);
    discord.guild.setRolePermissions(voter, ['addReactions']);
    clock.advance(1_000);
    expect(await perform()).toEqual({ outcome: 'done' });
    expect(roles()).toEqual([voter]);
  });

  it('removes a role that has got permissions of a moderator', async () => {
    const { discord, grants, perform, roles, userId, rolesRead } = await handling();
    grants.grant(userId, discord.roles.voter);
    await perform();
    discord.guild.setRolePermissions(discord.roles.voter, ['administrator']);
    grants.revoke(userId, discord.roles.voter);
    expect(await perform()).toEqual({ outcome: 'done' });
    expect(roles()).toEqual([]);
    expect(rolesRead()).toHaveLength(1);
  });

  it('reads the permissions of roles once a second, however many members get one at once', async () => {
    const { discord, grants, perform, roles, userId, rolesRead, clock } = await handling();
    const { voter } = discord.roles;
    for (const { id } of discord.members) grants.grant(id, voter);
    await Promise.all(discord.members.map(({ id }) => perform(voter, id)));
    for (let count = 0; count < 5; count += 1) await perform();
    expect(rolesRead()).toHaveLength(1);
    discord.guild.setRolePermissions(voter, ['manageMessages']);
    discord.guild.setRole(userId, voter, false);
    clock.advance(1_000);
    expect(await perform()).toMatchObject({ outcome: 'bury' });
    expect(roles()).toEqual([]);
  });

  it('adds no role while its permissions cannot be read', async () => {
    const { discord, grants, perform, roles, userId, changesSent } = await handling();
    grants.grant(userId, discord.roles.voter);
    discord.faults.respond500(1, /GET/);
    expect(await perform()).toMatchObject({ outcome: 'later', scope: 'effects' });
    expect([roles(), changesSent()]).toEqual([[], []]);
    expect(await perform()).toEqual({ outcome: 'done' });
    expect(roles()).toEqual([discord.roles.voter]);
  });

  it('is buried without further requests for a second after the bot was removed from the server', async () => {
    const { discord, grants, perform, userId, changesSent, rolesRead } = await handling();
    grants.grant(userId, discord.roles.voter);
    discord.guild.removeBot();
    for (let count = 0; count < 5; count += 1) expect(await perform()).toMatchObject({ outcome: 'bury' });
    expect(grants.reported).toMatchObject([{ cause: 'missing_access' }]);
    expect([rolesRead().length, changesSent()]).toEqual([1, []]);
  });

  it('is parked while the member is not in the server, and is done if the role should be removed', async () => {
    const { discord, grants, perform, roles, userId } = await handling();
    const { voter } = discord.roles;
    grants.grant(userId, voter);
    discord.guild.leave(userId);
    expect(await perform()).toEqual({ outcome: 'done' });
    expect(grants.settled).toEqual([[userId, voter, 'parked', expect.stringContaining('(10007)')]]);
    expect(grants.reported).toMatchObject([{ cause: 'member_left' }]);
    discord.guild.rejoin(userId);
    expect(await perform()).toEqual({ outcome: 'done' });
    expect(roles()).toEqual([voter]);
    discord.guild.leave(userId);
    grants.revoke(userId, voter);
    expect(await perform()).toEqual({ outcome: 'done' });
    expect(grants.settled.at(-1)).toEqual([userId, voter, 'removed', null]);
    expect(grants.reported).toHaveLength(1);
  });

  it('is done without a report if a deleted role should be removed', async () => {
    const { grants, perform, userId } = await handling();
    expect(await perform('404')).toEqual({ outcome: 'done' });
    expect(grants.settled).toEqual([[userId, '404', 'removed', null]]);
    expect(grants.reported).toEqual([]);
  });

  it('is retried after a rate limit and after errors of Discord, without delaying other effects', async () => {
    const { discord, grants, perform, userId } = await handling();
    grants.grant(userId, discord.roles.voter);
    discord.faults.respond429(1, 30, /PUT/);
    expect(await perform()).toMatchObject({
      outcome: 'later',
      scope: 'effects',
      retryAfterMs: expect.closeTo(30_000, -3),
    });
    const { discord: other, ...fixture } = await handling();
    fixture.grants.grant(fixture.userId, other.roles.voter);
    other.faults.respond500(1, /PUT/);
    expect(await fixture.perform()).toMatchObject({ outcome: 'later', scope: 'effects' });
    expect(fixture.grants.settled).toEqual([]);
  });

  it('waits if Discord cannot be reached or rejects the token', async () => {
    const { discord, perform } = await handling();
    discord.faults.outage(true);
    onTestFinished(() => discord.faults.clear());
    expect(await perform()).toMatchObject({ outcome: 'later', scope: 'global' });
    const { perform: performWithoutToken } = await handling({ token: 'wrong-token' });
    expect(await performWithoutToken()).toMatchObject({ outcome: 'later', scope: 'global' });
  });

  it('waits with the same reason while Discord rejects the role, but not if the member has paid for it', async () => {
    const { discord, grants, circuits, perform, userId, changesSent } = await handling({ stops: true });
    const { moderator } = discord.roles;
    const [buyer, other] = ['300000000000000001', discord.members[2]?.id ?? ''];
    for (const member of [userId, buyer, other]) grants.grant(member, moderator);
    const failed = await perform(moderator);
    expect(failed).toMatchObject({ outcome: 'bury', reason: expect.stringContaining('Move the role of the bot') });
    const { reason } = failed as { reason: string };
    const queue = `role ${discord.guildId} ${moderator}`;
    expect(circuits.open).toMatchObject([{ queue, reason }]);
    expect(await perform(moderator, other)).toMatchObject({ outcome: 'later', notSent: true, reason, stop: { queue } });
    grants.paidFor.add(buyer);
    expect(await perform(moderator, buyer)).toEqual({ outcome: 'bury', reason });
    expect(grants.settled).toEqual([userId, buyer].map((member) => [member, moderator, 'failed', reason]));
    expect(grants.reported).toHaveLength(1);
    expect(changesSent()).toHaveLength(1);
  });

  it('of a deleted role fails for every member after one request, and is reported once', async () => {
    const { discord, grants, perform, userId, changesSent } = await handling({ stops: true });
    const { vip } = discord.roles;
    discord.guild.deleteRole(vip);
    for (const member of discord.members.slice(1)) grants.grant(member.id, vip);
    for (const member of discord.members.slice(1)) {
      expect(await perform(vip, member.id)).toMatchObject({
        outcome: 'bury',
        reason: expect.stringContaining('has no role'),
      });
    }
    grants.revoke(userId, vip);
    expect(await perform(vip)).toEqual({ outcome: 'done' });
    expect(grants.reported).toHaveLength(1);
    expect(changesSent()).toHaveLength(1);
  });

  it('rejects if the grants cannot be read', async () => {
    const { grants, perform } = await handling();
    grants.onSettled(() => {
      throw new Error('the database is locked');
    });
    await expect(perform()).rejects.toThrow('the database is locked');
  });
});
