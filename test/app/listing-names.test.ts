import { writeFileSync } from 'node:fs';
import { hour } from '@tallyhook/platform/durations';
import { createOffsetClock } from '@tallyhook/platform/testing/offset-clock';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { ApplicationCommandType } from 'discord.js';
import type { Message } from 'local-discord';
import { expect, it, vi } from 'vitest';
import { applicationId, defaultGuild } from '../../packages/local-discord/src/default-guild.ts';
import { controlsOf } from '../../packages/local-discord/src/objects.ts';
import { signDelivery } from '../../src/webhook/sites/authenticate.ts';
import { findSite, type SiteSettings } from '../../src/webhook/sites/index.ts';
import { startInstallation } from '../support/start-installation.ts';

/** Where this is read by a person, a better name is known. */
const telltale = /telltale-\w+/;
const secret = 'whs_telltales-own-secret';
const { guild } = defaultGuild({});

const listings = [
  { name: 'telltale-1', kind: 'bot', id: applicationId, site: 'topgg' },
  { name: 'telltale-2', kind: 'bot', id: applicationId, site: 'discords' },
  { name: 'telltale-3', kind: 'server', id: guild.id, site: 'disurl' },
  { name: 'telltale-4', kind: 'server', id: '1190000000000009999', site: 'guildsme' },
  { name: 'telltale-5', kind: 'bot', id: '1190000000000009998', site: 'botradar', title: 'Lamplighter' },
  { name: 'telltale-6', kind: 'server', id: guild.id },
] as const;

/** A text without what people do not read: ids and values of components, addresses, and attributes of pages. */
function shown(text: string): string {
  return text
    .replaceAll(/"(custom_id|value|url|proxy_url)":"[^"]*"/g, '')
    .replaceAll(/\S*\/webhooks\/[\w.-]+/g, '')
    .replaceAll(/<(script|style)[\s\S]*?<\/\1>/g, '')
    .replaceAll(/ (title|aria-label|alt|placeholder)="([^"]*)"/g, '>$2<')
    .replaceAll(/<\/?[a-z][^<>]*>/g, ' ');
}

async function startWithSlugs() {
  const path = `${tempDir()}/listings.json`;
  const rewards = { streak: { every: 1, credits: 5 }, milestones: [{ votes: 2, credits: 1 }], vote: 3 };
  const common = { guildId: guild.id, voteSecrets: [secret], rewards };
  const clock = createOffsetClock();
  const file = listings.map((each) => ({ ...common, ...each }));
  writeFileSync(path, JSON.stringify({ listings: file }));
  const none = { LOOKUP_SERVER_KEY: '', LOOKUP_BOT_KEY: '', VOTE_WEBHOOK_SECRET: '', PREMIUM_WEBHOOK_SECRET: '' };
  const installation = await startInstallation({ ...none, TALLYHOOK_CONFIG: path }, clock);
  const { discord, url, app } = installation;
  await vi.waitFor(() => expect(discord.commands()).toHaveLength(app.commandData().length), { timeout: 30_000 });
  const [member] = discord.members;
  if (member === undefined) throw new Error('no member');
  const userId = member.id;

  async function voteEverywhere(): Promise<void> {
    for (const [index, { name, kind, ...listing }] of listings.entries()) {
      const id = 'site' in listing ? (listing.site satisfies SiteSettings['id']) : 'service';
      const site = findSite({ id });
      const at = clock.now();
      const targetId = listing.id;
      const vote = { kind, targetId, userId, at, id: `${at}${index}`, isTest: false } as const;
      const signed = signDelivery(site.schemes[0], JSON.stringify(site.write(vote)), secret, at);
      const address = `${url}/webhooks/${name}${id === 'service' ? '/vote' : ''}`;
      const response = await fetch(address, { method: 'POST', headers: { ...signed.headers }, body: signed.body });
      expect([name, await response.json()]).toEqual([name, expect.objectContaining({ outcome: 'recorded' })]);
    }
  }

  const channelId = discord.channels.general;
  const run = async (name: string, options: Record<string, string | number> = {}) =>
    discord.runCommand({ name, options, userId, channelId }).settled;
  return { ...installation, clock, userId, channelId, run, voteEverywhere };
}

it('no person reads how a listing is called in the configuration', async () => {
  const { discord, clock, url, userId, channelId, run, voteEverywhere, environment } = await startWithSlugs();
  const read: (readonly [where: string, text: string])[] = [];
  const note = (where: string, what: unknown) => read.push([where, shown(JSON.stringify(what))]);

  await run('remind', { state: 'on' });
  await voteEverywhere();
  clock.advance(13 * hour);
  await voteEverywhere();
  const { announcements } = discord.channels;
  const timesAnnounced = () => JSON.stringify(discord.messages(announcements)).match(/Lamplighter/g)?.length ?? 0;
  await vi.waitFor(() => expect(timesAnnounced()).toBeGreaterThanOrEqual(2), { timeout: 20_000 });
  const commandsWith: Record<string, Record<string, string | number>> = {
    remind: { state: 'on' },
    trace: { user: userId },
    award: { user: userId, credits: 5, reason: 'help' },
  };
  for (const { name, type } of discord.commands()) {
    if (name === 'privacy') continue;
    if (type === ApplicationCommandType.User)
      note(name, await discord.runUserCommand({ name, targetId: userId, userId, channelId }).response);
    else note(`/${name}`, await run(name, commandsWith[name]));
  }
  for (const name of ['stats', 'canvote']) {
    const focused = { name: 'listing', value: '' };
    const choices = await discord.autocomplete({ name, userId, channelId, focused });
    note(`choices of /${name}`, choices);
    for (const { value } of choices) note(`/${name} ${value}`, await run(name, { listing: String(value) }));
  }

  // Every view of /setup that one press leads to.
  const overview = await run('setup');
  const press = (message: Message, customId: string, values?: readonly string[]) =>
    values === undefined
      ? discord.clickButton(message.id, customId, userId)
      : discord.select({ messageId: message.id, customId, userId, values });
  for (const control of controlsOf(overview.components)) {
    const id = control.custom_id;
    if (id === undefined) continue;
    const values = 'options' in control ? [String(control.options?.[0]?.value ?? '')] : undefined;
    note('/setup', (await press(await run('setup'), id, values).response).data);
  }

  clock.advance(26 * hour);
  await vi.waitFor(() => expect(discord.directMessages(userId).length).toBeGreaterThanOrEqual(1), { timeout: 20_000 });
  note('reminders', discord.directMessages(userId));
  for (const channel of Object.values(discord.channels))
    note(`#${discord.channelName(channel)}`, discord.messages(channel));

  const form = new URLSearchParams({ ownerToken: environment['OWNER_TOKEN'] ?? '', next: '' });
  const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: url };
  const signedIn = await fetch(`${url}/owner/sign-in`, { method: 'POST', redirect: 'manual', headers, body: form });
  const cookie = signedIn.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  const paths = ['', 'listings', 'deliveries', 'deliveries/1', 'effects', 'orders', 'changes', `users/${userId}`];
  for (const path of paths) {
    const response = await fetch(`${url}/owner/${path}`, { headers: { cookie } });
    expect([path, response.status]).toEqual([path, 200]);
    read.push([`console/${path}`, shown(await response.text())]);
  }

  const told = read.filter(([, text]) => telltale.test(text));
  expect(
    told.map(([where, text]) => `${where}: …${text.slice(Math.max(0, text.search(telltale) - 60)).slice(0, 100)}`),
  ).toEqual([]);

  // What they are called instead, as far as members see it.
  const [, votable = ''] = read.find(([where]) => where === '/canvote') ?? [];
  for (const name of [
    '**tallyhook** on top.gg',
    '**tallyhook** on discords.com',
    '**Lantern Harbour** on Disurl',
    'Guilds.me',
    'Lamplighter',
  ]) {
    expect(votable).toContain(name);
  }
});
