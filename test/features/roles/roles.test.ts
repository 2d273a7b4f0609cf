import { type Clock, systemClock } from '@tallyhook/platform/clock';
import { hour, minute, second } from '@tallyhook/platform/durations';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { createOffsetClock } from '@tallyhook/platform/testing/offset-clock';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { createMetrics } from '../../../src/core/metrics.ts';
import { isOf, ownerReportKind, type RoleContent, type TypedMessage } from '../../../src/core/outbox/effect-kind.ts';
import type { ListingContext } from '../../../src/core/tally/listing-context.ts';
import { RequestGuard } from '../../../src/discord/circuits.ts';
import { createDiscordRest } from '../../../src/discord/rest.ts';
import { createDirectory } from '../../../src/features/communities/directory.ts';
import { createRoleHandler, createSeenMembers } from '../../../src/features/roles/parts.ts';
import { createGivenRoleCheck } from '../../../src/features/roles/role-failure.ts';
import type { RoleFailureReport } from '../../../src/features/roles/store.ts';
import { openStore, type Store } from '../../../src/features/store.ts';
import { createUpkeep } from '../../../src/features/upkeep/upkeep.ts';
import { textsIn } from '../../../src/texts/texts.ts';
import { localDiscord } from '../../support/bot.ts';
import { communityIdsOf, firstCommunity } from '../../support/communities.ts';
import { effectOf } from '../../support/due-effects.ts';
import { serverAndBot } from '../../support/listings.ts';
import { environmentWith, harbour } from '../../support/listings-file.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { channelQueue, rolesQueue } from '../../support/queues.ts';
import { recordVote } from '../../support/record-vote.ts';
import { deposit, itemOf, orderOf, ownerChannelId } from '../../support/shop-store.ts';
import { openLedger } from '../../support/voting.ts';

const en = textsIn('en-US');

/** The grants of a store, what was settled in it, and the causes of failures. */
async function recordedGrants(clock: Clock, guildId: string) {
  const store = await openLedger(newSqliteUrl(), clock);
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
  const { listings } = loadConfig(environmentWith([{ ...harbour, guildId, ownerChannelId }]));
  const directory = createDirectory(listings, () => firstCommunity);
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
    ...{ store: grants.store, guildOfChannel: () => null },
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
    return handle(effectOf<RoleContent>({ kind: 'role', queue, content }));
  };
  const roles = () => discord.rolesOf(userId);
  const changesSent = () => discord.requests.filter(({ method }) => method === 'PUT' || method === 'DELETE');
  const rolesRead = () => discord.requests.filter(({ path }) => path.endsWith(`/guilds/${discord.guildId}/roles`));
  return { discord, grants, guard, perform, roles, userId, changesSent, rolesRead, clock };
}

describe('a role effect', () => {
  it('adds the role while a grant lasts, and removes it afterwards', async () => {
    const { discord, grants, perform, roles, userId, changesSent, clock } = await handling();
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
    const reasons = changesSent().map(({ headers }) => decodeURIComponent(headers['x-audit-log-reason'] ?? ''));
    expect(new Set(reasons)).toEqual(new Set([en.text('role.added'), en.text('role.removed')]));
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

  it('adds no role while its permissions cannot be read', async () => {
    const { discord, grants, perform, roles, userId, changesSent } = await handling();
    await grants.grant(userId, discord.roles.voter);
    discord.faults.respond500(1, /GET/);
    expect(await perform()).toMatchObject({ outcome: 'later', scope: 'effects' });
    expect([roles(), changesSent()]).toEqual([[], []]);
    expect(await perform()).toEqual({ outcome: 'done' });
    expect(roles()).toEqual([discord.roles.voter]);
  });

  it('is left to Discord where the list of roles is not found', async () => {
    const discord = await localDiscord();
    const rest = createDiscordRest({ token: discord.token, apiUrl: `${discord.apiUrl}/elsewhere` });
    const role = { guildId: discord.guildId, userId: '7', role: discord.roles.voter };
    expect(await createGivenRoleCheck(rest, systemClock).check(role)).toBe(null);
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
    expect(await grants.reports()).toMatchObject([{ reason: expect.stringContaining('is not in the server') }]);
    expect([...grants.causes]).toEqual(['member_left']);
    discord.guild.rejoin(userId);
    expect(await perform()).toEqual({ outcome: 'done' });
    expect(roles()).toEqual([voter]);
    discord.guild.leave(userId);
    clock.advance(hour);
    expect(await perform()).toEqual({ outcome: 'done' });
    expect(grants.settled.at(-1)).toEqual([userId, voter, 'removed']);
    expect(await grants.reports()).toHaveLength(1);
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
});

const start = Date.UTC(2026, 0, 5, 12);
const booster = '700000000000000001';
const voter = '700000000000000002';
const guildId = '613425648685547541';

async function openCommunity() {
  const clock = manualClock(start);
  const store = await openLedger(newSqliteUrl(), clock);
  const rewards = { vote: 10, multipliers: [{ factor: 1.5, role: booster }], voterRole: { role: voter, for: '12h' } };
  const { listings } = loadConfig(environmentWith([{ ...harbour, guildId, rewards }]));
  const directory = createDirectory(listings, communityIdsOf(listings));
  const routedTo = () => directory.ofGuild(guildId)?.listings[0];
  const seen = createSeenMembers({
    store,
    directory,
    nudge: () => {},
    clock,
    log: pino({ level: 'silent' }),
  });
  async function vote(at: number) {
    const listing = routedTo();
    if (listing === undefined) throw new Error('no listing');
    return recordVote(store, listing, '1', at);
  }
  const waiting = async () => (await store.records.counts()).effects.waiting;
  return { clock, store, seen, vote, waiting };
}

it('multiplies votes of a member who was last seen with the role', async () => {
  const { store, seen, vote } = await openCommunity();
  expect(await vote(start)).toMatchObject({ credits: 10 });
  seen({ userId: '1', guildId, roles: [voter, booster] });
  await store.probe();
  expect(await vote(start + 12 * hour)).toMatchObject({ credits: 15 });
  // In direct messages the roles are unknown.
  seen({ userId: '1', guildId, roles: null });
  expect(await vote(start + 24 * hour)).toMatchObject({ credits: 15 });
  seen({ userId: '1', guildId, roles: [voter] });
  await store.probe();
  expect(await vote(start + 36 * hour)).toMatchObject({ credits: 10 });
});

it('repairs granted roles, at most once an hour', async () => {
  const { clock, store, seen, vote, waiting } = await openCommunity();
  await vote(start);
  const role = { guildId, userId: '1', role: voter };
  await store.roles.settleRole(role, 'applied', start);
  const before = await waiting();
  seen({ userId: '1', guildId, roles: null });
  await eventually(async () => expect(await waiting()).toBe(before + 1));
  await store.roles.settleRole(role, 'applied', start);
  seen({ userId: '1', guildId, roles: null });
  seen({ userId: '2', guildId, roles: null });
  await store.probe();
  expect(await waiting()).toBe(before + 1);
  await clock.advance(hour);
  seen({ userId: '1', guildId, roles: null });
  await eventually(async () => expect(await waiting()).toBe(before + 2));
});

it('gives back at once what a member who has returned lacks, and asks Discord for nothing that is there', async () => {
  const { clock, store, seen, vote, waiting } = await openCommunity();
  await vote(start);
  const role = { guildId, userId: '1', role: voter };
  await store.roles.settleRole(role, 'applied', start);
  const before = await waiting();
  const seenWith = async (roles: readonly string[], place = guildId) => {
    seen({ userId: '1', guildId: place, roles });
    await store.probe();
    await store.probe();
    return (await waiting()) - before;
  };
  expect(await seenWith([voter])).toBe(0);
  await clock.advance(hour);
  expect(await seenWith([voter])).toBe(0);
  // The roles of another server say nothing.
  expect(await seenWith([], '613425648685547542')).toBe(0);
  expect(await seenWith([])).toBe(1);
  await store.roles.settleRole(role, 'applied', start);
  // Discord may not give it: that is not tried with every command.
  expect(await seenWith([])).toBe(1);
  expect(await seenWith([voter])).toBe(1);
  expect(await seenWith([])).toBe(2);
  await store.roles.settleRole(role, 'applied', start);
  // A role that should have been removed is, too.
  await clock.advance(12 * hour);
  expect(await seenWith([voter])).toBe(3);
});

const [server] = serverAndBot();
const listing: ListingContext = {
  ...server,
  rewards: {
    ...server.rewards,
    voterRole: { role: voter, forMs: 12 * hour },
    streak: { every: 3, credits: 50, forgive: 0 },
  },
  community: { ...server.community, guildId },
};

async function startUpkeep() {
  const clock = manualClock(start);
  const store = await openStore(newSqliteUrl(), clock, { thread: false });
  const upkeep = createUpkeep({
    ...{ store, keep: { bodiesMs: null, effectsMs: null }, metrics: createMetrics() },
    ...{ clock, log: pino({ level: 'silent' }) },
  });
  onTestFinished(async () => {
    await upkeep.stop();
    await store.close();
  });
  /** Advances the clock in steps, so that every loop runs in between. */
  async function advance(ms: number, step = second): Promise<void> {
    for (let passed = 0; passed < ms; passed += step) {
      await eventually(() => expect(clock.sleepers()).toBe(4));
      await clock.advance(step);
    }
    await eventually(() => expect(clock.sleepers()).toBe(4));
  }
  return { clock, store, upkeep, advance };
}

const roleEffects = async (store: Store) =>
  (await store.records.effects({ state: 'waiting', before: null, limit: 100 })).filter(({ kind }) => kind === 'role')
    .length;

it('repairs the roles of all members slowly', async () => {
  const { store, upkeep, advance } = await startUpkeep();
  for (let member = 1; member <= 15; member += 1) {
    await recordVote(store, listing, String(member), start);
    await store.roles.settleRole({ guildId, userId: String(member), role: voter }, 'applied', start);
  }
  upkeep.start();
  await advance(second);
  expect(await roleEffects(store)).toBe(25);
  await advance(minute);
  expect(await roleEffects(store)).toBe(30);
});
