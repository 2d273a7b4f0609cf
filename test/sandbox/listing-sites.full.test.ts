import { once } from 'node:events';
import { hour } from '@tallyhook/platform/durations';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { ask, follow, post } from 'local-discord/testing/page-client';
import { describe, expect, it } from 'vitest';
import type { SandboxState } from '../../src/sandbox/page/sandbox-page.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { stepsOf, timelineOf, wholeSandbox } from '../support/whole-sandbox.ts';

const mira = '318044130796109825';
const votes = [{ kind: 'server' }, { kind: 'bot' }, { kind: 'bot', site: 'topgg' }, { kind: 'server', site: 'disurl' }];

async function vote({ urls }: Sandbox, listing: object) {
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
  it('deliver votes as the real sites do, into one balance, with a bonus for all listings', async () => {
    const sandbox = await wholeSandbox({ seed: 'none' });
    const { delivery } = timelineOf(sandbox);
    const before = await canVote(sandbox);
    expect(before).toMatch(/now\.\n.*perhaps.*\(Disurl\)/);
    expect(before.split('\n')[0]).toContain('(top.gg)');
    for (const listing of votes) expect(await vote(sandbox, listing)).toMatchObject({ outcome: 'recorded' });
    for (const title of ['Server vote', 'Bot vote', 'top.gg vote', 'Disurl vote'])
      expect(stepsOf(await delivery(ofMira(title)))).toEqual([
        ...['received', 'verified', 'recorded', 'credited', 'announced'],
      ]);
    const bonus = await delivery(({ steps }) => steps.some(({ text }) => text.includes('voted on all listings')));
    expect(bonus.steps.find(({ name }) => name === 'credited')?.text).toBe('+30 credits (voted on all listings)');
    expect(await sandbox.app.ledger.account(mira)).toMatchObject({ credits: 60, votes: 4 });
    expect(await canVote(sandbox)).not.toMatch(/now|perhaps/);
  });

  it('have cooldowns by the clock of the sandbox, and their deliveries can be repeated', async () => {
    const sandbox = await wholeSandbox({ seed: 'none' });
    const { delivery } = timelineOf(sandbox);
    const [, , topgg = {}, disurl = {}] = votes;
    for (const [listing, title] of [
      [topgg, 'top.gg vote'],
      [disurl, 'Disurl vote'],
    ] as const) {
      expect(await vote(sandbox, listing)).toMatchObject({ outcome: 'recorded', isDelivered: true });
      await delivery(ofMira(title));
      expect(await sandbox.faultInjection.resendLast()).toMatchObject({ status: 200, body: { outcome: 'duplicate' } });
      expect(await vote(sandbox, listing)).toMatchObject({ outcome: 'too_soon' });
    }
    sandbox.clock.advance(12 * hour);
    expect(await vote(sandbox, topgg)).toMatchObject({ outcome: 'recorded' });
  });

  it('have pages on which an owner enters the address and the secret, which another site cannot send', async () => {
    const sandbox = await wholeSandbox({ linked: false });
    const { delivery } = timelineOf(sandbox);
    const { topgg = '', disurl = '' } = await votePages(sandbox);
    expect(topgg).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/bot\/\d+\/vote$/);
    expect(await vote(sandbox, { kind: 'server', site: 'disurl' })).toMatchObject({ isDelivered: false });
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

  it('continue after a restart', async () => {
    const directory = tempDir();
    const first = await startSandbox({ directory, seed: 'none' });
    await vote(first, { kind: 'bot', site: 'topgg' });
    await first.stop();
    const again = await wholeSandbox({ directory, seed: 'none' });
    expect(await vote(again, { kind: 'bot', site: 'topgg' })).toMatchObject({ outcome: 'too_soon' });
    expect(await vote(again, { kind: 'server', site: 'disurl' })).toMatchObject({ outcome: 'recorded' });
    await timelineOf(again).delivery(({ isSettled }) => isSettled);
  });

  it('are missing if they are switched off', async () => {
    const sandbox = await wholeSandbox({ seed: 'none', sites: false });
    expect(await votePages(sandbox)).toEqual({});
    expect(await vote(sandbox, { kind: 'bot', site: 'topgg' })).toMatchObject({ outcome: 'refused' });
    expect(await canVote(sandbox)).toBe('You can vote for **Lantern Harbour** now.');
  });
});
