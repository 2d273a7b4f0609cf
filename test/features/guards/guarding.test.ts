import { day, minute, second } from '@tallyhook/platform/durations';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { createOffsetClock } from '@tallyhook/platform/testing/offset-clock';
import type { LocalDiscord } from 'local-discord';
import { expect, it, onTestFinished } from 'vitest';
import { json, startFakeService } from '../../support/fake-service.ts';
import { environmentWith, harbour } from '../../support/listings-file.ts';
import { localDiscord } from '../../support/local-discord.ts';
import { ownerApi, postVote, startApp } from '../../support/start-app.ts';

const secret = 'secret-of-the-harbour';
const stranger = '205680187394752512';
type Json = Readonly<Record<string, unknown>>;

/** The program with these guards, in a guild of the local Discord whose members are Mira and others. */
async function startGuarded(
  guardsOf: (mira: string, discord: LocalDiscord) => object,
  changes: object = {},
  variables: Record<string, string> = {},
) {
  const discord = await localDiscord({ rateLimits: false });
  const [, mira, tomas] = discord.members;
  if (mira === undefined || tomas === undefined) throw new Error('no members');
  const clock = createOffsetClock();
  const listing = {
    ...{ ...harbour, guildId: discord.guildId, voteSecrets: [secret], guards: guardsOf(mira.id, discord) },
    ...{ announceChannelId: discord.channels.announcements, ...changes },
  };
  const environment = {
    ...environmentWith([listing]),
    ...{ DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl, OWNER_TOKEN: 'owner-token-of-tests' },
    ...variables,
  };
  const { url } = await startApp(environment, { clock });
  await eventually(() => expect(discord.connected).toBe(true));

  /** The response to a vote, as the sender gets it. */
  const post = (userId: string, at = clock.now()) => postVote(url, userId, { secret, at });
  const api = ownerApi(url, 'owner-token-of-tests');
  const owner = async (path: string, method?: string): Promise<Json> => (await api(path, method)).json;
  const deliveriesOf = async (userId: string) =>
    (await owner(`/deliveries?user=${userId}`))['deliveries'] as readonly Json[];
  const announced = () => JSON.stringify(discord.messages(discord.channels.announcements));
  return { url, discord, clock, mira, tomas, post, owner, deliveriesOf, announced };
}

const paid = (credits: number) => ({ credits, votes: credits / 10 });

it('answers a blocked member as anybody else, and pays, counts, announces nothing', async () => {
  const { clock, mira, tomas, post, owner, deliveriesOf, announced } = await startGuarded((id) => ({ blocked: [id] }));
  const now = clock.now();
  for (const at of [now, now, now + second]) expect(await post(mira.id, at)).toEqual(await post(tomas.id, at));
  await eventually(() => expect(announced()).toContain(tomas.id));
  expect(await owner(`/users/${tomas.id}`)).toMatchObject(paid(10));
  expect(await owner(`/users/${mira.id}`)).toMatchObject({ ...paid(0), streak: { days: 0 }, lastVoteAt: null });
  const found = await deliveriesOf(mira.id);
  expect(found.filter(({ outcome }) => outcome !== 'duplicate')).toMatchObject([
    { outcome: 'ignored', reason: 'blocked', credits: 0 },
    { outcome: 'ignored', reason: 'blocked', credits: 0 },
  ]);
  expect(announced()).toContain(tomas.id);
  expect(announced()).not.toContain(mira.id);
});

it('compares the age of an account with the time of the vote', async () => {
  const { clock, post, owner, deliveriesOf } = await startGuarded(() => ({ minAccountAge: '30d' }));
  const idAt = (at: number) => String(BigInt(at - 1_420_070_400_000) << 22n);
  const at = clock.now() - minute;
  const [young, old] = [idAt(at - 30 * day + second), idAt(at - 30 * day)];
  expect(await post(young, at)).toEqual(await post(old, at));
  expect(await owner(`/users/${old}`)).toMatchObject(paid(10));
  expect(await owner(`/users/${young}`)).toMatchObject(paid(0));
  expect(await deliveriesOf(young)).toMatchObject([{ reason: 'account_too_new' }]);
});

it('pays members only, and who has joined the guild later when Discord is asked again', async () => {
  const { discord, clock, mira, tomas, post, owner, deliveriesOf } = await startGuarded(() => ({ membersOnly: true }));
  discord.guild.leave(tomas.id);
  expect(await post(tomas.id)).toEqual(await post(mira.id));
  expect(await post(stranger)).toMatchObject({ json: { outcome: 'recorded' } });
  expect(await post(stranger, clock.now() - 2 * day)).toMatchObject({ status: 200 });
  await eventually(async () => expect(await owner(`/users/${mira.id}`)).toMatchObject(paid(10)));
  await eventually(async () => expect(await deliveriesOf(tomas.id)).toMatchObject([{ reason: 'not_a_member' }]));
  expect(await owner(`/users/${tomas.id}`)).toMatchObject(paid(0));
  discord.guild.rejoin(tomas.id);
  clock.advance(11 * minute);
  await eventually(async () => expect(await owner(`/users/${tomas.id}`)).toMatchObject(paid(10)));
  expect(await owner(`/users/${stranger}`)).toMatchObject(paid(0));
});

it('decides nothing while Discord does not answer, and recognises repeats meanwhile', async () => {
  const { discord, clock, mira, post, owner, deliveriesOf } = await startGuarded(() => ({ membersOnly: true }));
  discord.faults.respond500(3, /GET .*\/members\//);
  const at = clock.now();
  expect(await post(mira.id, at)).toMatchObject({ json: { outcome: 'recorded' } });
  expect(await post(mira.id, at)).toMatchObject({ json: { outcome: 'duplicate' } });
  expect(await deliveriesOf(mira.id)).toContainEqual(
    expect.objectContaining({ outcome: 'quarantined', reason: expect.stringContaining('until Discord says') }),
  );
  await eventually(async () => expect(await owner(`/users/${mira.id}`)).toMatchObject(paid(10)));
  expect(await post(mira.id, at)).toMatchObject({ json: { outcome: 'duplicate' } });
  expect(await owner(`/users/${mira.id}`)).toMatchObject(paid(10));
});

it('leaves a member out of the leaderboard who was seen with a hidden role', async () => {
  const roleOf = ({ roles }: LocalDiscord) => roles.veteran;
  const { discord, mira, tomas, post, owner } = await startGuarded((_, local) => ({ hiddenRoles: [roleOf(local)] }));
  await post(mira.id);
  await post(tomas.id);
  const ranks = async () => {
    const { members } = (await owner('/leaderboard?period=all&by=credits')) as { members?: readonly Json[] };
    return members?.map(({ userId, rank }) => `${String(rank)} ${String(userId)}`);
  };
  expect((await ranks())?.toSorted()).toEqual([`1 ${mira.id}`, `1 ${tomas.id}`].toSorted());
  discord.guild.setRole(mira.id, roleOf(discord), true);
  await eventually(() => expect(discord.commands().map(({ name }) => name)).toContain('credits'));
  const { general: channelId } = discord.channels;
  await discord.runCommand({ name: 'credits', userId: mira.id, channelId }).settled;
  await eventually(async () => expect(await ranks()).toEqual([`1 ${tomas.id}`]));
  expect(await owner(`/users/${mira.id}`)).toMatchObject({ ...paid(10), rank: null });
  discord.guild.setRole(mira.id, roleOf(discord), false);
  await discord.runCommand({ name: 'credits', userId: mira.id, channelId }).settled;
  await eventually(async () => expect(await ranks()).toHaveLength(2));
});

it('leaves a member with a hidden role out who votes, and uses no command', async () => {
  const { discord, mira, tomas, post, owner } = await startGuarded((_, { roles }) => ({
    hiddenRoles: [roles.veteran],
  }));
  discord.guild.setRole(mira.id, discord.roles.veteran, true);
  for (const userId of [mira.id, tomas.id, '80351110224678912']) {
    expect(await post(userId)).toMatchObject({ json: { outcome: 'recorded' } });
  }
  await eventually(async () => {
    const members = (await owner('/leaderboard?period=all&by=votes'))['members'] as readonly Json[];
    expect(members.map(({ userId }) => String(userId)).toSorted()).toEqual([tomas.id, '80351110224678912']);
  });
  expect(await owner(`/users/${mira.id}`)).toMatchObject({ ...paid(10), rank: null });
  await eventually(async () => expect((await owner('/effects?state=waiting'))['effects']).toEqual([]));
  expect((await owner('/effects?state=buried'))['effects']).toEqual([]);
});

it('pays who is a member when the bot is back in the guild that it had left', async () => {
  const { discord, clock, mira, post, owner, deliveriesOf } = await startGuarded(() => ({ membersOnly: true }));
  discord.guild.removeBot();
  await post(mira.id);
  const asked = () => discord.requests.filter(({ path }) => path.endsWith(`/members/${mira.id}`)).length;
  await eventually(() => expect(asked()).toBeGreaterThan(0));
  expect(await deliveriesOf(mira.id)).toMatchObject([{ outcome: 'quarantined' }]);
  discord.guild.addBot();
  clock.advance(61 * minute);
  await eventually(async () => expect(await owner(`/users/${mira.id}`)).toMatchObject(paid(10)));
});

it('asks Discord first, and then the site that confirms votes', async () => {
  const site = await startFakeService();
  onTestFinished(() => site.close());
  site.respondWith(json(200, { voted: true, lastVote: null }));
  const lamp = {
    ...{ name: 'lamp', kind: 'bot', id: '716390085896962058', site: 'discordplace', siteKey: 'key-of-the-site' },
    ...{ confirm: true, lookupKey: undefined },
  };
  const started = await startGuarded(() => ({ membersOnly: true }), lamp, { SITE_API_URL: site.origin });
  const { url, mira, owner, deliveriesOf } = started;
  const vote = async (user: string) => {
    const body = JSON.stringify({ bot: lamp.id, user, test: false });
    const response = await fetch(`${url}/webhooks/lamp`, { method: 'POST', body, headers: { authorization: secret } });
    return response.json();
  };
  expect(await vote(mira.id)).toEqual(await vote(stranger));
  await eventually(async () => expect(await owner(`/users/${mira.id}`)).toMatchObject(paid(10)));
  await eventually(async () => expect(await deliveriesOf(stranger)).toMatchObject([{ reason: 'not_a_member' }]));
  expect(site.requests.map(({ url: path }) => path)).toEqual([`/bots/${lamp.id}/voters/${mira.id}`]);
});
