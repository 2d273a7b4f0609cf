import { type Clock, systemClock } from '@tallyhook/platform/clock';
import { hour } from '@tallyhook/platform/durations';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { createOffsetClock } from '@tallyhook/platform/testing/offset-clock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import {
  type Effect,
  isOf,
  ownerReportKind,
  type RoleContent,
  type TypedMessage,
} from '../../../src/core/outbox/effect-kind.ts';
import { RequestGuard } from '../../../src/discord/circuits.ts';
import { createDiscordRest } from '../../../src/discord/rest.ts';
import { createDirectory } from '../../../src/features/communities/directory.ts';
import { createRoleHandler } from '../../../src/features/roles/parts.ts';
import { createGivenRoleCheck } from '../../../src/features/roles/role-failure.ts';
import type { RoleFailureReport } from '../../../src/features/roles/store.ts';
import { openStore } from '../../../src/features/store.ts';
import { textsIn } from '../../../src/texts/texts.ts';
import { localDiscord } from '../../support/bot.ts';
import { firstCommunity } from '../../support/communities.ts';
import { serverAndBot } from '../../support/listings.ts';
import { environmentWith, harbour } from '../../support/listings-file.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { channelQueue, rolesQueue } from '../../support/queues.ts';
import { recordVote } from '../../support/record-vote.ts';
import { deposit, itemOf, orderOf, ownerChannelId } from '../../support/shop-store.ts';

const en = textsIn('en-US');

/** The grants of a store, what was settled in it, and the causes of failures. */
async function recordedGrants(clock: Clock, guildId: string) {
  const store = await openStore(newSqliteUrl(), clock, { thread: false });
  onTestFinished(() => store.close());
  const settled: unknown[] = [];
  const causes = new Set<string>();
  const reported: RoleFailureReport[] = [];
  const { outbox } = store;
  const roles = {
    ...store.roles,
    settleRole(...[role, state, at]: Parameters<typeof store.roles.settleRole>) {
      settled.push([role.userId, role.role, state]);
      return store.roles.settleRole(role, state, at);
    },
  };
  const [listing] = serverAndBot();
  if (listing === undefined) throw new Error('no listing');
  const directory = createDirectory(
    loadConfig(environmentWith([{ ...harbour, guildId, ownerChannelId }])).listings,
    () => firstCommunity,
  );
  return {
    ...{ store, roles, directory, settled, causes },
    /** Lets the member have the role for an hour. */
    grant: (userId: string, role: string) =>
      recordVote(
        store,
        {
          ...listing,
          rewards: { ...listing.rewards, voterRole: { role, forMs: hour } },
          community: { ...listing.community, guildId },
        },
        userId,
        clock.now(),
      ),
    /** The reports of failures to the owner so far. */
    async reports() {
      const now = clock.now();
      for (;;) {
        const [effect] = await outbox.claim(channelQueue(ownerChannelId), now, now + hour, 1);
        if (effect === undefined) return reported;
        if (isOf(ownerReportKind, effect) && effect.content.report.type === 'roleFailed') {
          const report = effect.content.report as TypedMessage & RoleFailureReport;
          reported.push(report);
          causes.add(report.cause);
        }
        await outbox.done([effect], now);
      }
    },
  };
}

async function handling(changes: { token?: string; stops?: boolean } = {}) {
  const discord = await localDiscord({ rateLimits: false });
  const clock = createOffsetClock();
  const grants = await recordedGrants(clock, discord.guildId);
  const guard = new RequestGuard({
    ...{ store: grants.store.circuits, guildOfChannel: () => null, invalidRequests: () => 0 },
    ...{ clock: systemClock, log: collectingLog().log },
  });
  const rest = createDiscordRest({
    ...{ token: changes.token ?? discord.token, apiUrl: discord.apiUrl },
    ...(changes.stops && { guard }),
  });
  const handle = createRoleHandler({
    ...{ rest, guard, clock, directory: grants.directory, guildTexts: async () => en },
    store: { ...grants.store, roles: grants.roles },
    givenRoles: createGivenRoleCheck(rest, clock),
  });
  const userId = discord.members[1]?.id ?? '';
  const perform = (role: string = discord.roles.voter, member = userId, erase?: true) => {
    const content = { guildId: discord.guildId, userId: member, role, ...(erase && { erase }) };
    const queue = rolesQueue(discord.guildId);
    const effect: Effect<RoleContent> = {
      ...{ id: 1, deliveryId: null, kind: 'role', queue, content, attempts: 1, createdAt: 0, nonce: 'nonce' },
      possiblySentSince: null,
    };
    return handle(effect);
  };
  const roles = () => discord.rolesOf(userId);
  const changesSent = () => discord.requests.filter(({ method }) => method === 'PUT' || method === 'DELETE');
  const rolesRead = () => discord.requests.filter(({ path }) => path.endsWith(`/guilds/${discord.guildId}/roles`));
  return { discord, grants, guard, perform, roles, userId, changesSent, rolesRead, clock };
}

describe('a role effect', () => {
  it('adds the role while a grant lasts, and removes it afterwards', async () => {
    const { discord, grants, perform, roles, userId, clock } = await handling();
    const { voter } = discord.roles;
    await grants.grant(userId, voter);
    expect(await perform()).toEqual({ outcome: 'done' });
    expect(roles()).toEqual([voter]);
    expect(await perform()).toEqual({ outcome: 'done' });
    expect(roles()).toEqual([voter]);
    clock.advance(hour);
    expect(await perform()).toEqual({ outcome: 'done' });
    expect(roles()).toEqual([]);
    expect(await perform()).toEqual({ outcome: 'done' });
    const [applied, removed] = (['applied', 'removed'] as const).map((state) => [userId, voter, state]);
    expect(grants.settled).toEqual([applied, applied, removed, removed]);
    expect(await grants.reports()).toEqual([]);
  });

  it('has a reason in the audit log', async () => {
    const { discord, grants, perform, userId, changesSent, clock } = await handling();
    await grants.grant(userId, discord.roles.voter);
    await perform();
    clock.advance(hour);
    await perform();
    expect(changesSent().map(({ headers }) => decodeURIComponent(headers['x-audit-log-reason'] ?? ''))).toEqual([
      en.text('role.added'),
      en.text('role.removed'),
    ]);
  });

  it('is repeated if the grants changed during the attempt', async () => {
    const { discord, grants, perform, roles, userId, clock } = await handling();
    await grants.grant(userId, discord.roles.voter);
    discord.events.on('request', ({ method }) => {
      if (method === 'PUT') clock.advance(hour);
    });
    expect(await perform()).toMatchObject({ outcome: 'later', scope: 'effects' });
    expect(grants.settled).toEqual([]);
    expect(await perform()).toEqual({ outcome: 'done' });
    expect(roles()).toEqual([]);
  });

  it('of a forgotten member is not reported if it fails', async () => {
    const { discord, grants, perform, userId, clock } = await handling();
    await grants.grant(userId, discord.roles.moderator);
    clock.advance(hour);
    expect(await perform(discord.roles.moderator, userId, true)).toMatchObject({ outcome: 'later' });
    expect(await grants.reports()).toEqual([]);
  });

  it('may be repeated if its response was lost', async () => {
    const { discord, grants, perform, roles, userId } = await handling();
    await grants.grant(userId, discord.roles.voter);
    discord.faults.loseAnswers(1);
    expect(await perform()).toMatchObject({ outcome: 'later' });
    expect(await perform()).toEqual({ outcome: 'done' });
    expect(roles()).toEqual([discord.roles.voter]);
  });

  it.each<[string, string, (fixture: Awaited<ReturnType<typeof handling>>) => string]>([
    ['role_too_high', 'Drag the role of the bot above it', ({ discord }) => discord.roles.moderator],
    ['role_managed', 'Configure another role', ({ discord }) => discord.roles.bot],
    ['role_deleted', 'Configure another role', () => '404'],
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
      'Configure another role',
      ({ discord }) => {
        discord.guild.deleteRole(discord.roles.vip);
        return discord.roles.vip;
      },
    ],
  ])(
    'that fails because of %s has a hint, is reported once, and waits if that can be mended',
    async (cause, hint, prepare) => {
      const fixture = await handling();
      const { grants, perform, userId } = fixture;
      const role = prepare(fixture);
      const isMendable = ['role_too_high', 'missing_permission'].includes(cause);
      await grants.grant(userId, role);
      for (const _ of [1, 2]) {
        expect(await perform(role)).toMatchObject({
          outcome: isMendable ? 'later' : 'bury',
          reason: expect.stringContaining(hint),
          ...(isMendable && { notSent: true, stop: { target: `role ${fixture.discord.guildId} ${role}` } }),
        });
      }
      const [report, ...others] = await grants.reports();
      expect(report).toMatchObject({ userId, role, reason: expect.stringContaining(hint) });
      expect([others, [...grants.causes]]).toEqual([[], [cause]]);
      const settled = isMendable ? [] : [[userId, role, 'failed']];
      expect(grants.settled.slice(0, 1)).toEqual(settled);
    },
  );

  it('reads the roles of the guild once for a series of failures', async () => {
    const { discord, grants, perform, userId } = await handling();
    await grants.grant(userId, discord.roles.moderator);
    for (let count = 0; count < 5; count += 1) await perform(discord.roles.moderator);
    expect(discord.requests.filter(({ method }) => method === 'GET')).toHaveLength(4);
  });

  it('does not add a role that has got permissions of a moderator, and reports it once', async () => {
    const { discord, grants, perform, roles, userId, changesSent, rolesRead, clock } = await handling();
    const { voter } = discord.roles;
    await grants.grant(userId, voter);
    discord.guild.setRolePermissions(voter, ['administrator']);
    const reason = expect.stringContaining('has permissions of a moderator');
    for (let count = 0; count < 5; count += 1) expect(await perform()).toEqual({ outcome: 'bury', reason });
    expect([roles(), changesSent()]).toEqual([[], []]);
    expect(await grants.reports()).toMatchObject([{ userId, role: voter, reason }]);
    expect([...grants.causes]).toEqual(['role_moderating']);
    expect(grants.settled[0]).toEqual([userId, voter, 'refused']);
    expect(rolesRead()).toHaveLength(1);
    discord.guild.setRolePermissions(voter, ['addReactions']);
    clock.advance(1_000);
    expect(await perform()).toEqual({ outcome: 'done' });
    expect(roles()).toEqual([voter]);
  });

  it('removes a role that has got permissions of a moderator', async () => {
    const { discord, grants, perform, roles, userId, rolesRead, clock } = await handling();
    await grants.grant(userId, discord.roles.voter);
    await perform();
    discord.guild.setRolePermissions(discord.roles.voter, ['administrator']);
    clock.advance(hour);
    expect(await perform()).toEqual({ outcome: 'done' });
    expect(roles()).toEqual([]);
    expect(rolesRead()).toHaveLength(1);
  });

  it('reads the permissions of roles once a second, however many members get one at once', async () => {
    const { discord, grants, perform, roles, userId, rolesRead, clock } = await handling();
    const { voter } = discord.roles;
    for (const { id } of discord.members) await grants.grant(id, voter);
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
    await grants.grant(userId, discord.roles.voter);
    discord.faults.respond500(1, /GET/);
    expect(await perform()).toMatchObject({ outcome: 'later', scope: 'effects' });
    expect([roles(), changesSent()]).toEqual([[], []]);
    expect(await perform()).toEqual({ outcome: 'done' });
    expect(roles()).toEqual([discord.roles.voter]);
  });

  it('waits without further requests for a second after the bot was removed from the server', async () => {
    const { discord, grants, perform, userId, changesSent, rolesRead } = await handling();
    await grants.grant(userId, discord.roles.voter);
    discord.guild.removeBot();
    for (let count = 0; count < 5; count += 1) expect(await perform()).toMatchObject({ outcome: 'later' });
    expect([(await grants.reports()).length, ...grants.causes]).toEqual([1, 'missing_access']);
    expect([rolesRead().length, changesSent()]).toEqual([1, []]);
  });

  it('is parked while the member is not in the server, and is done if the role should be removed', async () => {
    const { discord, grants, perform, roles, userId, clock } = await handling();
    const { voter } = discord.roles;
    await grants.grant(userId, voter);
    discord.guild.leave(userId);
    expect(await perform()).toEqual({ outcome: 'done' });
    expect(grants.settled).toEqual([[userId, voter, 'parked']]);
    expect([(await grants.reports()).length, ...grants.causes]).toEqual([1, 'member_left']);
    discord.guild.rejoin(userId);
    expect(await perform()).toEqual({ outcome: 'done' });
    expect(roles()).toEqual([voter]);
    discord.guild.leave(userId);
    clock.advance(hour);
    expect(await perform()).toEqual({ outcome: 'done' });
    expect(grants.settled.at(-1)).toEqual([userId, voter, 'removed']);
    expect(await grants.reports()).toHaveLength(1);
  });

  it('is done without a report if a deleted role should be removed', async () => {
    const { grants, perform, userId } = await handling();
    expect(await perform('404')).toEqual({ outcome: 'done' });
    expect(grants.settled).toEqual([[userId, '404', 'removed']]);
    expect(await grants.reports()).toEqual([]);
  });

  it('is retried after a rate limit and after errors of Discord, without delaying other effects', async () => {
    const { discord, grants, perform, userId } = await handling();
    await grants.grant(userId, discord.roles.voter);
    discord.faults.respond429(1, 30, /PUT/);
    expect(await perform()).toMatchObject({
      outcome: 'later',
      scope: 'effects',
      retryAfterMs: expect.closeTo(30_000, -3),
    });
    const { discord: other, ...fixture } = await handling();
    await fixture.grants.grant(fixture.userId, other.roles.voter);
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
    const { discord, grants, guard, perform, userId, changesSent, clock } = await handling({ stops: true });
    const { moderator } = discord.roles;
    const [buyer, other] = ['300000000000000001', discord.members[2]?.id ?? ''];
    for (const member of [userId, other]) await grants.grant(member, moderator);
    const first = await perform(moderator);
    expect(first).toMatchObject({ outcome: 'later', reason: expect.stringContaining('Drag the role of the bot') });
    const { reason } = first as { reason: string };
    const target = `role ${discord.guildId} ${moderator}`;
    expect(guard.open).toMatchObject([{ target, reason }]);
    for (const member of [userId, other]) {
      expect(await perform(moderator, member)).toMatchObject({ ...{ notSent: true, reason }, stop: { target } });
    }
    await deposit(grants.store, buyer, 30);
    const item = itemOf({ id: 'moderator', price: 30, role: moderator });
    await grants.store.shop.purchase(orderOf(item, { userId: buyer, guildId: discord.guildId }), clock.now());
    expect(await perform(moderator, buyer)).toEqual({ outcome: 'bury', reason });
    expect(grants.settled).toEqual([[buyer, moderator, 'failed']]);
    expect(await grants.reports()).toHaveLength(1);
    expect(changesSent()).toHaveLength(1);
  });

  it('of a deleted role fails for every member after one request, and is reported once', async () => {
    const { discord, grants, perform, changesSent, clock } = await handling({ stops: true });
    const { vip } = discord.roles;
    discord.guild.deleteRole(vip);
    for (const member of discord.members.slice(1)) await grants.grant(member.id, vip);
    for (const member of discord.members.slice(1)) {
      expect(await perform(vip, member.id)).toMatchObject({
        outcome: 'bury',
        reason: expect.stringContaining('has no role'),
      });
    }
    clock.advance(hour);
    expect(await perform(vip)).toEqual({ outcome: 'done' });
    expect(await grants.reports()).toHaveLength(1);
    expect(changesSent()).toHaveLength(1);
  });

  it('rejects if the grants cannot be read', async () => {
    const { grants, perform } = await handling();
    grants.roles.isGranted = () => Promise.reject(new Error('the database is locked'));
    await expect(perform()).rejects.toThrow('the database is locked');
  });
});
