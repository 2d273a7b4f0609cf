import { hour, minute, second } from '@tallyhook/platform/durations';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { Routes } from 'discord-api-types/v10';
import { describe, expect, it, onTestFinished } from 'vitest';
import { allGuilds, guildsToPause, RequestGuard } from '../../src/discord/circuits.ts';
import { CircuitOpenError, classifySendError } from '../../src/discord/discord-errors.ts';
import { RequestsPausedError } from '../../src/discord/rate-limit.ts';
import { createDiscordRest } from '../../src/discord/rest.ts';
import { openStore } from '../../src/features/store.ts';
import { localDiscord } from '../support/bot.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';

/** Processes of one installation with the local Discord, whose circuits use a clock that stands still. */
async function createInstallation() {
  const discord = await localDiscord({ rateLimits: false });
  const clock = manualClock();
  const store = await openStore(newSqliteUrl(), clock, { thread: false });
  onTestFinished(() => store.close());
  const { announcements } = discord.channels;

  function createProcess() {
    const due: string[] = [];
    const guard = new RequestGuard({
      store,
      guildOfChannel: (channelId) => (channelId === announcements ? discord.guildId : null),
      clock,
      log: collectingLog().log,
    });
    guard.onProbeDue((queue) => void due.push(queue));
    const rest = createDiscordRest({
      ...{ token: discord.token, apiUrl: discord.apiUrl, guard },
      requestsPerSecond: () => 10_000,
    });
    const post = (body: object = { content: 'hello' }, channelId: string = announcements) =>
      rest.post(Routes.channelMessages(channelId), body).then(
        () => 'accepted' as const,
        (error: unknown) => error,
      );
    return { guard, rest, post, due };
  }
  const sent = () => discord.requests.filter(({ method }) => method !== 'GET').length;
  return { discord, clock, store, createProcess, sent, announcements };
}

describe('a channel that Discord rejects', () => {
  it('gets one request a minute, until one is accepted', async () => {
    const { discord, clock, createProcess, sent, announcements } = await createInstallation();
    const { post, guard, due } = createProcess();
    discord.faults.losePermission(announcements);
    expect(await post()).toMatchObject({ code: 50_013 });
    for (let count = 0; count < 20; count += 1) expect(await post()).toBeInstanceOf(CircuitOpenError);
    expect(sent()).toBe(1);
    await clock.advance(minute);
    // A rejected probe is an error like that of the others, so that its effects wait with them.
    const atOnce = await Promise.all(Array.from({ length: 20 }, () => post()));
    for (const error of atOnce) expect(error).toBeInstanceOf(CircuitOpenError);
    expect(sent()).toBe(2);
    const stopped = classifySendError(await post(), { channelId: announcements, effects: 1 });
    expect(stopped).toMatchObject({ outcome: 'later', notSent: true, stop: { target: announcements } });
    discord.faults.regainPermission(announcements);
    expect(await post()).toBeInstanceOf(CircuitOpenError);
    await clock.advance(minute);
    expect([await post(), await post()]).toEqual(['accepted', 'accepted']);
    expect(due).toEqual([announcements]);
    expect(guard.open).toEqual([]);
  });

  it('gets fewer requests the longer nobody reacts, down to one in ten minutes', async () => {
    const { discord, clock, createProcess, sent, announcements } = await createInstallation();
    const { post } = createProcess();
    discord.faults.losePermission(announcements);
    const requests: number[] = [];
    for (let minutes = 0; minutes < 24 * 60; minutes += 1) {
      await post();
      requests.push(sent());
      await clock.advance(minute);
    }
    const between = (from: number, until: number) => (requests[until] ?? 0) - (requests[from] ?? 0);
    expect(between(0, 30)).toBe(30);
    expect(between(60, 120)).toBeLessThan(30);
    expect(between(12 * 60, 13 * 60)).toBe(6);
    discord.faults.regainPermission(announcements);
    await clock.advance(10 * minute);
    expect(await post()).toBe('accepted');
  });

  it('is tried at once after a change, but not more than eight times in 20 s however often it changes', async () => {
    const { discord, clock, createProcess, announcements } = await createInstallation();
    const { post, guard } = createProcess();
    const isRejected = ({ status }: { status: number }) => status === 403;
    for (let count = 0; count < 60; count += 1) {
      discord.faults.losePermission(announcements);
      await post();
      discord.faults.regainPermission(announcements);
      guard.changed({ guildId: discord.guildId, channelId: announcements });
      await post();
    }
    expect(discord.requests.filter(isRejected)).toHaveLength(8);
    expect(await post()).toBeInstanceOf(CircuitOpenError);
    await clock.advance(20 * second);
    expect(await post()).toBe('accepted');
    guard.changed({ guildId: 'another', channelId: null });
  });

  it('may get only eight messages that are not valid in 20 s, each of which fails for itself', async () => {
    const { discord, clock, createProcess, sent } = await createInstallation();
    const { post, guard } = createProcess();
    for (let count = 0; count < 20; count += 1) await post({ content: '' });
    expect(sent()).toBe(8);
    expect(guard.open).toEqual([]);
    await clock.advance(20 * second);
    expect(await post({ content: '' })).toMatchObject({ status: 400 });
    expect(await post()).toBe('accepted');
    expect(discord.requests.filter(({ status }) => status === 400)).toHaveLength(9);
  });

  it('that was deleted makes everything fail at once, without a request', async () => {
    const { discord, createProcess, sent, announcements } = await createInstallation();
    const { post } = createProcess();
    discord.faults.deleteChannel(announcements);
    expect(await post()).toMatchObject({ code: 10_003 });
    const result = classifySendError(await post(), { channelId: announcements, effects: 3 });
    expect(result).toEqual({ outcome: 'bury', reason: expect.stringContaining('has no channel') });
    expect(sent()).toBe(1);
  });

  it('is known to the other processes and after a restart, and a change that one of them sees to all', async () => {
    const { discord, clock, createProcess, sent, announcements } = await createInstallation();
    const first = createProcess();
    discord.faults.losePermission(announcements);
    await first.post();
    await first.guard.stop();
    const [second_, third] = [createProcess(), createProcess()];
    await Promise.all([second_.guard.load(), third.guard.load()]);
    expect(second_.guard.open).toMatchObject([
      {
        target: announcements,
        guildId: discord.guildId,
        code: 50_013,
        reason: expect.stringContaining('Send Messages'),
      },
    ]);
    expect(await second_.post()).toBeInstanceOf(CircuitOpenError);
    expect(sent()).toBe(1);

    discord.faults.regainPermission(announcements);
    third.guard.changed({ guildId: discord.guildId, channelId: null });
    await third.guard.stop();
    await second_.guard.load();
    expect(second_.due).toEqual([announcements]);
    expect(await second_.post()).toBe('accepted');
    await second_.guard.stop();
    const next = createProcess();
    await next.guard.load();
    expect(next.guard.open).toEqual([]);
    await clock.advance(hour);
  });
});

it('a member who accepts no direct messages stops nothing', async () => {
  const { discord, createProcess, sent } = await createInstallation();
  const { rest, post, guard } = createProcess();
  const userId = discord.members[1]?.id ?? '';
  const { id } = (await rest.post(Routes.userChannels(), { recipient_id: userId })) as { id: string };
  discord.faults.closeDirectMessages(userId);
  for (let count = 0; count < 12; count += 1)
    expect(await post({ content: 'hello' }, id)).toMatchObject({ code: 50_007 });
  expect(sent()).toBe(1 + 12);
  expect(guard.open).toEqual([]);
});

it('a bad role does not stop the other roles of the guild', async () => {
  const { discord, createProcess } = await createInstallation();
  const { rest, guard } = createProcess();
  const [, first, second_] = discord.members.map(({ id }) => id);
  const give = (userId = '', role = '') =>
    rest.put(Routes.guildMemberRole(discord.guildId, userId, role), undefined).catch((error: unknown) => error);
  expect(await give(first, discord.roles.moderator)).toMatchObject({ code: 50_013 });
  expect(await give(second_, discord.roles.moderator)).toBeInstanceOf(CircuitOpenError);
  await give(second_, discord.roles.voter);
  expect(discord.rolesOf(second_ ?? '')).toEqual([discord.roles.voter]);
  // A member who has left says nothing about the role.
  expect(await give('300000000000000001', discord.roles.voter)).toMatchObject({ code: 10_007 });
  expect(guard.count()).toEqual({ channels: 0, roles: 1 });
});

it.each(['channel', 'role'])('a clock set back an hour does not keep the circuit of a %s open', async (kind) => {
  const { discord, clock, createProcess, sent, announcements } = await createInstallation();
  const [first, other] = [createProcess(), createProcess()];
  const userId = discord.members[1]?.id ?? '';
  const route = Routes.guildMemberRole(discord.guildId, userId, discord.roles.voter);
  const change = ({ post, rest }: typeof first) =>
    kind === 'channel' ? post() : rest.put(route, undefined).catch((error: unknown) => error);
  const isStopped = expect.any(CircuitOpenError);
  const { faults } = discord;
  if (kind === 'channel') faults.losePermission(announcements);
  else faults.loseGuildPermission('manageRoles');
  expect(await change(first)).toMatchObject({ code: 50_013 });
  expect(await change(first)).toEqual(isStopped);
  clock.shiftWallClock(-hour);
  // What was to be sent in an hour may be sent now, but once.
  expect([await change(first), await change(first), sent()]).toEqual([isStopped, isStopped, 2]);
  await first.guard.stop();
  await other.guard.load();
  expect(await change(other)).toEqual(isStopped);
  if (kind === 'channel') faults.regainPermission(announcements);
  else faults.regainGuildPermission('manageRoles');
  await clock.advance(minute);
  expect(await change(other)).not.toBeInstanceOf(Error);
  expect(other.guard.open).toEqual([]);
  await other.guard.stop();
  await first.guard.load();
  expect(first.guard.open).toEqual([]);
});

it('a guild is paused at 500 rejected requests in ten minutes, and no other one', async () => {
  const { discord, clock, createProcess, announcements, store } = await createInstallation();
  const { guard, rest, post } = createProcess();
  await store.circuits.addRejections(Math.floor(clock.now() / minute), [{ guildId: discord.guildId, count: 490 }]);
  await guard.load();
  discord.faults.losePermission(announcements, 'viewChannel');
  for (let count = 0; count < 10; count += 1) await rest.get(Routes.channel(announcements)).catch(() => {});
  expect([...guard.pausedGuilds]).toEqual([discord.guildId]);
  const error = await post();
  expect(error).toBeInstanceOf(RequestsPausedError);
  expect(classifySendError(error, { channelId: announcements, effects: 1 })).toMatchObject({
    ...{ outcome: 'later', scope: 'community', retryAfterMs: 30 * second, notSent: true },
  });
  expect(await post({ content: 'hello' }, discord.channels.general)).toBe('accepted');
  discord.faults.regainPermission(announcements, 'viewChannel');
  await guard.stop();
  await clock.advance(11 * minute);
  const next = createProcess();
  await next.guard.load();
  expect(await next.post()).toBe('accepted');
});

it('from 5,000 rejected requests in all, the guilds with the most are paused first', () => {
  const countsOf = (counts: readonly number[], total: number) =>
    new Map([[allGuilds, total], ...counts.map((count, index) => [`guild${index}`, count] as const)]);
  expect([...guildsToPause(countsOf([300, 499, 500, 120], 1_419))]).toEqual(['guild2']);
  const many = Array.from({ length: 12 }, (_, index) => 400 + index);
  const paused = guildsToPause(countsOf(many, 5_000));
  expect(paused).toContain('guild11');
  const rest = many.filter((_, index) => !paused.has(`guild${index}`)).reduce((sum, count) => sum + count, 0);
  expect(rest).toBeLessThanOrEqual(2_500);
  expect(paused.size).toBe(6);
  expect(guildsToPause(countsOf([], 9_000)).size).toBe(0);
});
