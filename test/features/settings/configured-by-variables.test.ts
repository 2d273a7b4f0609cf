import { systemClock } from '@tallyhook/platform/clock';
import type { Message } from 'local-discord';
import { expect, it, vi } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { controlsOf, textsOf } from '../../../packages/local-discord/src/objects.ts';
import { openStore } from '../../../src/features/store.ts';
import { startInstallation } from '../../support/start-installation.ts';

const patience = { timeout: 20_000, interval: 50 };

it('a server of the variables is not linked again, and its votes are paid once where it was', {
  timeout: 60_000,
}, async () => {
  const installation = await startInstallation({ SETTINGS_KEY: 'ab'.repeat(32) });
  const { discord, service, post, app, environment } = installation;
  const [manager, voter] = discord.members;
  if (manager === undefined || voter === undefined) throw new Error('no members');
  const use = { channelId: discord.channels.general };
  await vi.waitFor(() => expect(discord.commands().map(({ name }) => name)).toContain('setup'), patience);

  async function link(lookupKey: string): Promise<string> {
    const press = ({ id, components }: Message) => {
      const labels = ['Link a listing', 'Paste an API key'];
      const button = controlsOf(components).find((each) => 'label' in each && labels.includes(each.label ?? ''));
      return discord.clickButton(id, button?.custom_id ?? '', manager?.id ?? '');
    };
    const message = await discord.runCommand({ ...use, name: 'setup', userId: manager?.id ?? '' }).settled;
    const form = press(await press(message).settled);
    await form.response;
    const values = { lookupKey };
    const result = await discord.submitModal({ interactionId: form.id, userId: manager?.id ?? '', values }).settled;
    return textsOf(result.components).join('\n');
  }

  const serverKey = environment['LOOKUP_SERVER_KEY'] ?? '';
  const text = 'The operator of this bot has set up this listing already, as Lantern Harbour.';
  expect(await link(serverKey)).toContain(text);
  const serverId = service.seeded?.server.id ?? '';
  expect(await link(await service.issueKey(serverId))).toContain(text);
  for (let guess = 3; guess <= 10; guess += 1)
    expect(await link(`guess-${guess}`)).toContain('does not accept this API key');
  expect(await link(serverKey)).toMatch(
    /Ten API keys were checked in this server within a minute.*try again <t:\d+:R>/,
  );

  // As it would be stored if the ids could not be compared.
  const profile = await fetch(`${service.baseUrl}/server`, { headers: { 'x-api-key': serverKey } });
  const { data } = (await profile.json()) as { readonly data: { readonly id: string } };
  const store = await openStore(loadConfig(environment).databaseUrl, systemClock, { thread: false });
  const value = JSON.stringify({ kind: 'server', id: data.id });
  const values = [{ listing: 'server-2', path: 'link', after: { value, sealed: null } }];
  const author = { guildId: discord.guildId, authorId: manager.id, interactionId: '1' };
  await store.settings.save({ ...author, at: Date.now(), basis: null, undoes: null, values });
  await store.close();
  const lookUp = () => discord.runCommand({ ...use, name: 'setup', userId: manager.id }).settled;
  await vi.waitFor(async () => expect(JSON.stringify(await lookUp())).toContain('server-2'), patience);

  const timestamp = new Date().toISOString();
  await post('/webhooks/server/vote', { event: 'server_vote', userId: voter.id, timestamp });
  expect((await app.ledger.account(voter.id))?.credits).toBe(10);
  // Members see one listing, as soon as the service has said that both are the same.
  const show = async (name: string) =>
    JSON.stringify(await discord.runCommand({ ...use, name, userId: voter.id }).settled);
  await vi.waitFor(async () => expect(await show('credits')).not.toContain('server-2'), patience);
  expect(await show('claim')).toContain('We have your vote');
  expect(await app.ledger.account(voter.id)).toMatchObject({ credits: 10, votes: 1 });
});
