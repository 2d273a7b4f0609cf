import { cpSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import type { Message, SubmittedValues } from 'local-discord';
import { describe, expect, it, vi } from 'vitest';
import { controlsOf, textsOf } from '../../packages/local-discord/src/objects.ts';
import { signDelivery } from '../../src/webhook/sites/authenticate.ts';
import { findSite } from '../../src/webhook/sites/index.ts';
import { localDiscord } from '../support/local-discord.ts';
import { unreachableDiscord } from '../support/settings.ts';
import { startProgram } from '../support/start-program.ts';

const waitOptions = { timeout: 60_000, interval: 50 };
const lookup = { LOOKUP_BASE_URL: 'http://127.0.0.1:9/api/v1' };

/** The only setting, with Discord on this machine and any free port. */
const onlyToken = (discord: { readonly token: string; readonly apiUrl: string }) => ({
  ...{ DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl, PORT: '0' },
});

/** The two settings, with Discord on this machine and any free port. */
function twoSettings(discord: { readonly token: string; readonly apiUrl: string }) {
  return { DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl, ...lookup, PORT: '0' };
}

describe('the first start', { timeout: 120_000 }, () => {
  it('needs only the token: it offers /setup and /help, and has a key for what /setup stores', async () => {
    const discord = await localDiscord();
    const directory = tempDir();
    const program = startProgram(['start'], onlyToken(discord), directory);
    expect((await fetch(`${await program.url()}/readyz?role=receive`)).status).toBe(200);
    expect(statSync(join(directory, 'data', 'tallyhook.db.key')).mode & 0o777).toBe(0o600);
    expect(program.output()).toContain('Link a listing with /setup');
    await vi.waitFor(() => {
      expect(discord.connected).toBe(true);
      expect(discord.commands().map(({ name }) => name)).toEqual(expect.arrayContaining(['setup', 'help']));
    }, waitOptions);

    const [manager] = discord.members;
    const { general } = discord.channels;
    if (manager === undefined) throw new Error('The local Discord has no members.');
    const overview = await discord.runCommand({ name: 'setup', options: {}, userId: manager.id, channelId: general })
      .settled;
    // There is no service whose key could be pasted.
    expect(textsOf(overview.components)[0]).toMatch(
      /^### Welcome\nChoose the site on which your server or bot is listed\./,
    );
    expect(controlsOf(overview.components).map(({ custom_id }) => custom_id?.replace(/.*k=/, ''))).toEqual([
      'server',
      'bot',
    ]);

    program.process.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  });

  it.each([
    { id: 'topgg', mostClicks: 7, mostPastes: 2 },
    { id: 'disurl', mostClicks: 5, mostPastes: 2 },
    { id: 'custom', mostClicks: 5, mostPastes: 2 },
  ])('links $id with at most $mostClicks clicks and $mostPastes pastes, and its vote is paid', async (tried) => {
    const discord = await localDiscord();
    const program = startProgram(['start'], onlyToken(discord), tempDir());
    const url = await program.url();
    const hasCommand = (name: string) =>
      vi.waitFor(() => {
        expect(discord.connected).toBe(true);
        expect(discord.commands().map((command) => command.name)).toContain(name);
      }, waitOptions);
    await hasCommand('setup');
    const [manager, voter] = discord.members;
    if (manager === undefined || voter === undefined) throw new Error('The local Discord has too few members.');
    const userId = manager.id;
    const inGeneral = { options: {}, channelId: discord.channels.general };
    let [clicks, pastes] = [0, 0];
    const controlIn = ({ components }: Message, part: string) =>
      controlsOf(components).find((each) => each.custom_id?.includes(part) || ('label' in each && each.label === part));
    const submit = (interactionId: string, values: SubmittedValues) => {
      clicks += 1;
      return discord.submitModal({ interactionId, userId, values }).settled;
    };

    clicks += 1;
    let shown = await discord.runCommand({ name: 'setup', userId, ...inGeneral }).settled;
    // To open the select, and to choose.
    clicks += 2;
    const customId = controlIn(shown, 'k=server')?.custom_id ?? '';
    const chosen = discord.select({ messageId: shown.id, customId, userId, values: [tried.id] });
    const secretOfSite = 'whs_0123456789abcdef0123456789abcdef';
    if (tried.id === 'custom') {
      await chosen.response;
      shown = await submit(chosen.id, { siteName: 'Elsewhere', header: 'X-Token', user: 'user.id', test: '' });
    } else {
      shown = await chosen.settled;
      expect(controlIn(shown, `Open ${tried.id === 'topgg' ? 'top.gg' : 'Disurl'}`)).toHaveProperty('url');
      clicks += 1;
    }
    // On the site.
    const path = new RegExp(`/webhooks/${tried.id}-[0-9a-f]{10}`).exec(textsOf(shown.components).join('\n'))?.[0] ?? '';
    pastes += 1;
    const [, ownSecret] = /Secret\n```\n(\S+)\n/.exec(textsOf(shown.components).join('\n')) ?? [];
    pastes += 1;
    if (tried.id === 'topgg') {
      const form = discord.clickButton(shown.id, controlIn(shown, 'Enter the secret')?.custom_id ?? '', userId);
      clicks += 1;
      await form.response;
      shown = await submit(form.id, { secret: secretOfSite });
    }
    expect(textsOf(shown.components).join('\n')).toContain('Linked: ');
    expect(clicks).toBeLessThanOrEqual(tried.mostClicks);
    expect(pastes).toBeLessThanOrEqual(tried.mostPastes);

    const custom = { name: 'Elsewhere', page: null, header: 'X-Token', user: 'user.id' };
    const site = findSite({ id: tried.id, ...(tried.id === 'custom' && { custom }) });
    const vote = { kind: 'server', targetId: discord.guildId, userId: voter.id, at: Date.now(), id: '1' } as const;
    const body = JSON.stringify(site.write({ ...vote, isTest: false }));
    const signed = signDelivery(site.schemes[0], body, ownSecret ?? secretOfSite, Date.now());
    const delivered = await fetch(url + path, { method: 'POST', ...signed });
    expect([delivered.status, await delivered.json()]).toMatchObject([200, { outcome: 'recorded' }]);
    await hasCommand('credits');
    const credits = await discord.runCommand({ name: 'credits', userId: voter.id, ...inGeneral }).settled;
    expect(JSON.stringify(credits)).toContain('**10** credits');
  });

  it('without installed packages says how to install them', async () => {
    const clone = tempDir();
    for (const name of ['src', 'commands', 'config', 'locales']) cpSync(name, join(clone, name), { recursive: true });
    cpSync('package.json', join(clone, 'package.json'));
    const entryFile = join(clone, 'src', 'launch.js');
    const program = startProgram(['start'], twoSettings(unreachableDiscord), clone, [], entryFile);
    expect(await program.ended).toBe(1);
    expect(program.output()).toMatch(
      /^The package \S+ is not installed\. Run "npm ci" in the folder of tallyhook.*\n$/,
    );
  });
});
