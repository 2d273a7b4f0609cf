import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { hour } from '@tallyhook/platform/durations';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { startLocalDiscord } from 'local-discord';
import { rest } from 'local-discord/testing/local';
import { ask, follow, post } from 'local-discord/testing/page-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { TimelineDelivery } from '../../src/sandbox/page/ports.ts';
import type { SandboxState } from '../../src/sandbox/page/sandbox-page.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { stepsOf, timelineOf, wholeSandbox } from '../support/whole-sandbox.ts';

const mira = '318044130796109825';
const vote = { kind: 'server', userId: mira, username: 'mira' } as const;

describe('a stopped sandbox', { timeout: 120_000 }, () => {
  it('continues with its messages, nonces, roles, direct messages, credits and time', async () => {
    const directory = tempDir();
    const first = await wholeSandbox({ directory });
    const { delivery } = timelineOf(first);
    first.clock.advance(12 * hour);
    await first.service.castVote(vote);
    await delivery(({ isSettled }) => isSettled);
    await voteOnPage(first, ofTopgg);
    await delivery(ofMira('top.gg vote'));
    const ask = rest(first.discord);
    const { guildId, roles } = first.discord;
    await ask('PUT', `/guilds/${guildId}/members/${mira}/roles/${roles.voter}`);
    const { id: direct } = await ask('POST', '/users/@me/channels', { recipient_id: mira });
    await ask('POST', `/channels/${direct}/messages`, { content: 'You can vote again.' });
    const { announcements } = first.discord.channels;
    const announced = first.discord.messages(announcements);
    const once = { content: 'once', nonce: 'n', enforce_nonce: true };
    const path = `/channels/${first.discord.channels.general}/messages`;
    const { id } = await ask('POST', path, once);
    const stoppedAt = first.clock.now();
    await first.stop();

    const again = await wholeSandbox({ directory });
    expect(again.clock.now()).toBeGreaterThanOrEqual(stoppedAt);
    expect(again.clock.now()).toBeLessThan(stoppedAt + hour);
    expect(again.discord.messages(announcements)).toEqual(announced);
    expect(again.discord.rolesOf(mira)).toContain(roles.voter);
    expect(again.discord.directMessages(mira).map(({ content }) => content)).toEqual(['You can vote again.']);
    expect((await again.app.ledger.account(mira))?.credits).toBe(20);
    expect((await rest(again.discord)('POST', path, once)).id).toBe(id);
    expect(await again.service.castVote(vote)).toMatchObject({ recorded: false });
    expect(await voteOnPage(again, ofTopgg)).toMatchObject({ outcome: 'too_soon' });
    expect(await voteOnPage(again, { kind: 'server', site: 'disurl' })).toMatchObject({ outcome: 'recorded' });
  });
});

describe('a sandbox without a seed', { timeout: 120_000 }, () => {
  it('has the same listings without votes and reviews, also after a restart, and without a damaged file', async () => {
    const directory = tempDir();
    writeFileSync(join(directory, 'discord.json'), '{"version":1,"messages":[{"id":');
    const first = await wholeSandbox({ directory, seed: 'none' });
    expect(first.discord.messages(first.discord.channels.announcements)).toEqual([]);
    expect(existsSync(join(directory, 'discord.json.damaged'))).toBe(true);
    const { delivery } = timelineOf(first);
    expect(await first.service.castVote(vote)).toMatchObject({ recorded: true });
    await delivery(({ isSettled }) => isSettled);
    const { general } = first.discord.channels;
    await eventually(() => expect(first.discord.commands().map(({ name }) => name)).toContain('reviews'));
    const use = { name: 'reviews', userId: mira, channelId: general };
    const shown = JSON.stringify((await first.discord.runCommand(use).settled).embeds);
    expect(shown).toContain('Nobody has written a review yet');
    await first.stop();
    const again = await wholeSandbox({ directory, seed: 'none' });
    expect((await again.service.listings()).map(({ name }) => name)).toEqual(['Lantern Harbour', 'Quartermaster']);
  });
});

const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
const hasIpv6 = addresses.some(({ address }) => address === '::1');
const ownAddress = addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address;

const hosts = [...(hasIpv6 ? ['::'] : []), ...(ownAddress === undefined ? [] : [ownAddress])];

const isRecorded = ({ steps }: TimelineDelivery) => steps.some(({ name }) => name === 'recorded');

describe('a sandbox whose bot listens on another HOST', { timeout: 60_000 }, () => {
  it.each(hosts)('delivers votes to a bot on %s', async (host) => {
    const sandbox = await wholeSandbox({ environment: { HOST: host }, seed: 'none' });
    const { delivery } = timelineOf(sandbox);
    const [member] = sandbox.discord.members;
    if (member === undefined) throw new Error('The local Discord has no members.');
    await sandbox.service.castVote({ kind: 'server', userId: member.id, username: member.username });
    expect(await delivery(isRecorded)).toMatchObject({ kind: 'delivery' });
    expect((await fetch(`${sandbox.urls.bot}/healthz`)).status).toBe(200);
  });

  it('reads host and port from files', async () => {
    const directory = tempDir();
    const write = (name: string, text: string) => {
      writeFileSync(join(directory, name), `${text}\n`);
      return join(directory, name);
    };
    const environment = { HOST_FILE: write('host', '0.0.0.0'), PORT_FILE: write('port', '0') };
    const sandbox = await wholeSandbox({ environment, seed: 'none' });
    expect(sandbox.urls.bot).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]/);
  });
});

it.skipIf(!hasIpv6)('a local Discord on an IPv6 address is reached there', async () => {
  const discord = await startLocalDiscord({ host: '::1' });
  onTestFinished(() => discord.stop());
  expect(discord.apiUrl).toMatch(/^http:\/\/\[::1\]:/);
  expect((await fetch(`${discord.apiUrl}/v10/gateway`)).status).toBeLessThan(500);
});

const ofTopgg = { kind: 'bot', site: 'topgg' };
const votes = [
  [{ kind: 'server' }, 'Server vote'],
  [{ kind: 'bot' }, 'Bot vote'],
  [ofTopgg, 'top.gg vote'],
  [{ kind: 'server', site: 'disurl' }, 'Disurl vote'],
] as const;

async function voteOnPage({ urls }: Sandbox, listing: object) {
  return JSON.parse((await post(urls.page, '/page/votes', { userId: mira, ...listing })).text);
}

const ofMira = (title: string) => (item: { title: string; isSettled: boolean }) =>
  item.title === `${title} by mira` && item.isSettled;

async function canVote({ discord }: Sandbox): Promise<string> {
  while (!discord.commands().some(({ name }) => name === 'canvote')) await once(discord.events, 'change');
  const used = discord.runCommand({ name: 'canvote', userId: mira, channelId: discord.channels.general });
  return (await used.settled).embeds?.[0]?.description ?? '';
}

/** The local vote pages, as the page of the sandbox opens them. */
async function votePages({ urls }: Sandbox) {
  const { extension } = await (await follow(urls.page))(({ kind }) => kind === 'full_state');
  const pages = (extension as SandboxState).listings.flatMap(({ site }) => site ?? []);
  return Object.fromEntries(pages.map(({ id, localPage }) => [id, localPage]));
}

const submit = (page: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(page, { method: 'POST', body: new URLSearchParams({ user: mira, ...fields }), headers });

describe('the listing sites of the sandbox', { timeout: 30_000 }, () => {
  it('deliver and repeat votes as the real sites do, into one balance, with a bonus for all listings', async () => {
    const sandbox = await wholeSandbox({ seed: 'none' });
    const { delivery } = timelineOf(sandbox);
    const before = await canVote(sandbox);
    expect(before).toMatch(/now\.\n.*perhaps.*on Disurl/);
    expect(before.split('\n')[0]).toContain('on top.gg');
    for (const [listing, title] of votes) {
      expect(await voteOnPage(sandbox, listing)).toMatchObject({ outcome: 'recorded', isDelivered: true });
      await delivery(ofMira(title));
      expect(await sandbox.faultInjection.resendLast()).toMatchObject({ status: 200, body: { outcome: 'duplicate' } });
      expect(await voteOnPage(sandbox, listing)).toMatchObject({ outcome: 'too_soon' });
    }
    for (const [, title] of votes)
      expect(stepsOf(await delivery(ofMira(title)))).toEqual([
        ...['received', 'verified', 'recorded', 'credited', 'announced'],
      ]);
    const bonus = await delivery(({ steps }) => steps.some(({ text }) => text.includes('votes on all listings')));
    expect(bonus.steps.find(({ name }) => name === 'credited')?.text).toBe('+30 credits (votes on all listings)');
    expect(await sandbox.app.ledger.account(mira)).toMatchObject({ credits: 60, votes: 4 });
    expect(await canVote(sandbox)).not.toMatch(/now|perhaps/);
    sandbox.clock.advance(12 * hour);
    expect(await voteOnPage(sandbox, ofTopgg)).toMatchObject({ outcome: 'recorded' });
  });

  it('have pages on which an owner enters the address and the secret, which another site cannot send', async () => {
    const sandbox = await wholeSandbox({ linked: false });
    const { delivery } = timelineOf(sandbox);
    const { topgg = '', disurl = '' } = await votePages(sandbox);
    expect(topgg).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/bot\/\d+\/vote$/);
    expect(await voteOnPage(sandbox, { kind: 'server', site: 'disurl' })).toMatchObject({ isDelivered: false });
    expect(await (await fetch(`${disurl}?as=${mira}`)).text()).toContain('An imitation of the vote page of Disurl');
    const settings = { action: 'save', webhook: `${sandbox.urls.bot}/webhooks/elsewhere`, secret: '"<b>' };
    expect((await submit(disurl, settings, { origin: 'https://evil.example' })).status).toBe(403);
    const { origin, pathname } = new URL(disurl);
    expect(await ask(origin, pathname, { headers: { host: 'evil.example' } })).toMatchObject({ status: 403 });
    expect(await (await submit(disurl, { ...settings, webhook: 'ftp://x' })).text()).toContain('must begin with');
    const page = await (await submit(disurl, settings)).text();
    expect(page).toContain('Saved.');
    expect(page).not.toContain('<b>');
    await submit(disurl, { action: 'test' });
    expect((await delivery(({ isSettled }) => isSettled)).title).toBe('Disurl test');
  });

  it('are missing if they are switched off', async () => {
    const sandbox = await wholeSandbox({ seed: 'none', sites: false });
    expect(await votePages(sandbox)).toEqual({});
    expect(await voteOnPage(sandbox, { kind: 'bot', site: 'topgg' })).toMatchObject({ outcome: 'refused' });
    expect(await canVote(sandbox)).toBe('You can vote for **Lantern Harbour** now.');
  });
});
