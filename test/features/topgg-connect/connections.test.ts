import { systemClock } from '@tallyhook/platform/clock';
import { hour } from '@tallyhook/platform/durations';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import type { Message } from 'local-discord';
import { expect, it, vi } from 'vitest';
import { controlsOf, textsOf } from '../../../packages/local-discord/src/objects.ts';
import { openStore } from '../../../src/features/store.ts';
import { signDelivery } from '../../../src/webhook/sites/authenticate.ts';
import { topgg, topggSignature } from '../../../src/webhook/sites/index.ts';
import { environmentWith } from '../../support/listings-file.ts';
import { localDiscord } from '../../support/local-discord.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { setupOver } from '../../support/setup-over.ts';
import { startApp } from '../../support/start-app.ts';
import { idInSecond, joinGuilds } from '../../support/two-guilds.ts';

const integrationSecret = 'secret-of-the-integration';
const publicUrl = 'https://votes.example.org';
const patience = { timeout: 20_000, interval: 50 };
const otherBot = '716390085896962058';

/** A bot in two guilds, whose program can be started again. */
async function installation() {
  const [first, second] = [await localDiscord(), await localDiscord()];
  const environment = {
    ...{ DISCORD_TOKEN: first.token, DISCORD_API_URL: await joinGuilds(first, second) },
    ...{ DATABASE_URL: newSqliteUrl(`${tempDir()}/tallyhook.db`) },
    ...{ PUBLIC_URL: publicUrl, SETTINGS_KEY: 'ab'.repeat(32), TOPGG_INTEGRATION_SECRET: integrationSecret },
  };
  const lines: string[] = [];
  async function start(changes: Readonly<Record<string, string>> = {}) {
    const { app, url } = await startApp({ ...environment, ...changes }, {}, lines);
    async function post(path: string, body: object, secret: string, at = Date.now()) {
      const signed = signDelivery(topggSignature, JSON.stringify(body), secret, at);
      const response = await fetch(url + path, { method: 'POST', ...signed });
      return [response.status, await response.json()] as const;
    }
    return {
      app,
      url,
      handshake: (body: object, secret = integrationSecret, at?: number) => post('/connect/topgg', body, secret, at),
      vote: (
        address: string,
        secret: string,
        project: { kind: 'server' | 'bot'; targetId: string },
        userId: string,
      ) => {
        const vote = { ...project, userId, at: Date.now(), id: `${project.targetId}${userId}`, isTest: false };
        return post(address.slice(publicUrl.length), topgg.write(vote), secret);
      },
    };
  }
  /** What is linked in both guilds, while nothing runs. */
  async function linked() {
    const store = await openStore(environment.DATABASE_URL, systemClock, { thread: false });
    const setup = setupOver(store, { SETTINGS_KEY: environment.SETTINGS_KEY });
    const guildIds = [first.guildId, idInSecond(second.guildId)];
    const guilds = await Promise.all(guildIds.map((guildId) => setup.read(guildId)));
    await store.close();
    return guilds.map(({ listings }) => listings.map(({ kind, targetId }) => ({ kind, targetId })));
  }
  const [manager, member] = first.members;
  const [ofSecond] = second.members;
  if (manager === undefined || member === undefined || ofSecond === undefined) throw new Error('no members');
  const controls = ({ components }: Message, label: string) =>
    controlsOf(components).filter((each) => 'label' in each && each.label === label);
  return {
    ...{ start, linked, lines, controls, first, manager, member },
    ofSecond: idInSecond(ofSecond.id),
    guilds: { first: first.guildId, second: idInSecond(second.guildId) },
    setup: async (userId: string) => {
      await vi.waitFor(() => {
        expect(first.connected).toBe(true);
        expect(first.commands().map(({ name }) => name)).toContain('setup');
      }, patience);
      return first.runCommand({ name: 'setup', options: {}, userId, channelId: first.channels.general }).settled;
    },
  };
}

function created(connectionId: string, project: { kind: 'server' | 'bot'; targetId: string }, userId: string) {
  return {
    type: 'integration.create',
    data: {
      ...{ connection_id: connectionId, webhook_secret: `whs_of_${connectionId}` },
      project: { id: '1230954036934033243', platform: 'discord', platform_id: project.targetId, type: project.kind },
      user: { id: '140862798832861184', platform_id: userId, name: 'somebody', avatar_url: null },
    },
  };
}
const deleted = (connectionId: string) => ({ type: 'integration.delete', data: { connection_id: connectionId } });
const addressIn = (reply: readonly [number, unknown]) => (reply[1] as { readonly webhook_url: string }).webhook_url;

it('links a server for its manager, each in its own guild, and unlinks what it has linked', async () => {
  const { start, linked, lines, manager, ofSecond, guilds } = await installation();
  const servers = {
    first: { kind: 'server', targetId: guilds.first },
    second: { kind: 'server', targetId: guilds.second },
  } as const;
  const before = await start();
  const first = await before.handshake(created('c1', servers.first, manager.id));
  expect(first).toEqual([
    200,
    { webhook_url: expect.stringContaining(`${publicUrl}/webhooks/topgg-`), routes: ['vote.create'] },
  ]);
  const second = await before.handshake(created('c2', servers.second, ofSecond));
  expect(addressIn(second)).not.toBe(addressIn(first));
  expect(await before.vote(addressIn(first), 'whs_of_c1', servers.first, manager.id)).toMatchObject([
    200,
    { outcome: 'recorded' },
  ]);
  expect(await before.vote(addressIn(second), 'whs_of_c1', servers.second, manager.id)).toMatchObject([401, {}]);
  await before.app.stop();
  expect(await linked()).toEqual([[servers.first], [servers.second]]);

  const after = await start();
  expect(await after.handshake(created('c1', servers.first, manager.id))).toEqual(first);
  expect(await after.vote(addressIn(second), 'whs_of_c2', servers.second, manager.id)).toMatchObject([
    200,
    { outcome: 'recorded' },
  ]);
  expect(await after.handshake(deleted('c1'))).toMatchObject([200, { success: true }]);
  expect(await after.handshake(deleted('c1'))).toMatchObject([200, { success: true }]);
  expect(await after.vote(addressIn(first), 'whs_of_c1', servers.first, ofSecond)).toMatchObject([404, {}]);
  const again = await after.handshake(created('c1', servers.first, manager.id));
  expect(addressIn(again)).not.toBe(addressIn(first));
  await after.app.stop();
  expect(await linked()).toEqual([[servers.first], [servers.second]]);
  expect(lines.join('\n')).not.toMatch(/whs_of_c|secret-of-the-integration/);
});

it('holds a bot for the member who has connected it, and pays nothing before it is confirmed', async () => {
  const { start, linked, controls, first, manager, member, setup } = await installation();
  const bot = { kind: 'bot', targetId: otherBot } as const;
  const before = await start();
  // A guild without the bot, and the bot of another member.
  await before.handshake(created('c2', { kind: 'server', targetId: '716390085896962059' }, manager.id));
  await before.handshake(created('c3', bot, member.id));
  expect(controls(await setup(manager.id), 'Link it here')).toEqual([]);
  const held = await before.handshake(created('c4', bot, manager.id));
  expect(await before.handshake(created('c4', bot, manager.id))).toEqual(held);
  expect(await before.vote(addressIn(held), 'whs_of_c4', bot, member.id)).toMatchObject([404, {}]);
  await before.app.stop();
  expect(await linked()).toEqual([[], []]);

  const after = await start();
  const earlier = await setup(manager.id);
  const shown = await setup(manager.id);
  expect(textsOf(shown.components).join('\n')).toContain(`**top.gg** has connected <@${otherBot}>. Link it here?`);
  const [confirm, ...others] = controls(shown, 'Link it here');
  expect(others).toEqual([]);
  const result = await first.clickButton(shown.id, confirm?.custom_id ?? '', manager.id).settled;
  expect(textsOf(result.components).join('\n')).toContain('Linked: top.gg');
  expect(await after.vote(addressIn(held), 'whs_of_c4', bot, member.id)).toMatchObject([200, { outcome: 'recorded' }]);
  expect(controls(await setup(manager.id), 'Link it here')).toEqual([]);
  const late = await first.clickButton(earlier.id, confirm?.custom_id ?? '', manager.id).settled;
  expect(textsOf(late.components).join('\n')).not.toContain('Linked: top.gg');
  expect(await after.handshake(deleted('c3'))).toMatchObject([200, {}]);
  // Whoever manages the guild of the listing may connect it there once more, and nobody else.
  expect(addressIn(await after.handshake(created('c5', bot, member.id)))).not.toBe(addressIn(held));
  expect(addressIn(await after.handshake(created('c6', bot, manager.id)))).toBe(addressIn(held));
  await after.app.stop();
  expect(await linked()).toEqual([[bot], []]);
});

it('holds a server for its managers, if a member has connected it who is none', async () => {
  const { start, controls, first, manager, member, ofSecond, guilds, setup } = await installation();
  const running = await start();
  const server = { kind: 'server', targetId: guilds.first } as const;
  const held = await running.handshake(created('c1', server, member.id));
  await running.handshake(created('c2', { kind: 'server', targetId: guilds.second }, member.id));
  expect(await running.vote(addressIn(held), 'whs_of_c1', server, ofSecond)).toMatchObject([404, {}]);
  const shown = await setup(manager.id);
  const [confirm, ...others] = controls(shown, 'Link it here');
  expect(others).toEqual([]);
  await first.clickButton(shown.id, confirm?.custom_id ?? '', manager.id).settled;
  expect(await running.vote(addressIn(held), 'whs_of_c1', server, ofSecond)).toMatchObject([200, {}]);
  await running.app.stop();
});

it('adds the secret to a listing of the operator, and ends it', async () => {
  const { start, guilds, manager, member } = await installation();
  const bot = { kind: 'bot', targetId: otherBot } as const;
  const listing = { name: 'ours', kind: 'bot', id: otherBot, site: 'topgg', guildId: guilds.first };
  const { TALLYHOOK_CONFIG = '' } = environmentWith([{ ...listing, voteSecrets: ['whs_of_the_file'] }]);
  const first = await start({ TALLYHOOK_CONFIG, PUBLIC_URL: '' });
  for (let time = 1; time <= 2; time += 1) {
    // The address that top.gg has called.
    expect(addressIn(await first.handshake(created('c1', bot, member.id)))).toBe(`${first.url}/webhooks/ours`);
  }
  await first.app.stop();
  const { app, vote, handshake } = await start({ TALLYHOOK_CONFIG });
  const address = `${publicUrl}/webhooks/ours`;
  expect(await vote(address, 'whs_of_c1', bot, manager.id)).toMatchObject([200, {}]);
  expect(await handshake(deleted('c1'))).toMatchObject([200, {}]);
  expect(await vote(address, 'whs_of_c1', bot, member.id)).toMatchObject([401, {}]);
  expect(await vote(address, 'whs_of_the_file', bot, member.id)).toMatchObject([200, { outcome: 'recorded' }]);
  expect(addressIn(await handshake(created('c1', bot, member.id)))).toBe(address);
  expect(await vote(address, 'whs_of_c1', bot, member.id)).toMatchObject([200, { outcome: 'duplicate' }]);
  await app.stop();
});

it('accepts what top.gg has signed alone, and does not exist without the secret', async () => {
  const { start, linked, manager, guilds } = await installation();
  const body = created('c1', { kind: 'server', targetId: guilds.first }, manager.id);
  const running = await start();
  expect(await running.handshake(body, 'another secret')).toMatchObject([401, { success: false }]);
  expect(await running.handshake(body, integrationSecret, Date.now() + hour)).toMatchObject([401, { success: false }]);
  expect(await running.handshake(body, integrationSecret, Date.now() - 25 * hour)).toMatchObject([401, {}]);
  for (const headers of [{}, { authorization: integrationSecret }, { 'x-topgg-signature': '' }]) {
    const response = await fetch(`${running.url}/connect/topgg`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(401);
  }
  expect(await running.handshake({ type: 'integration.create', data: {} })).toMatchObject([400, { success: false }]);
  expect(await running.handshake(deleted('never seen'))).toMatchObject([400, {}]);
  expect(await running.handshake(deleted('never-seen'))).toMatchObject([200, {}]);
  await running.app.stop();
  expect(await linked()).toEqual([[], []]);

  const without = await start({ TOPGG_INTEGRATION_SECRET: '' });
  expect(await without.handshake(body)).toMatchObject([404, {}]);
});
