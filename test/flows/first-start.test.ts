import { cpSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { controlsOf } from '../../src/sandbox/discord/objects.ts';
import { runCommand } from '../support/command-line.ts';
import { localDiscord } from '../support/local-discord.ts';
import { unreachableDiscord } from '../support/settings.ts';
import { startProgram } from '../support/start-program.ts';
import { tempDir } from '../support/temp-dir.ts';

const waitOptions = { timeout: 60_000, interval: 50 };
const lookup = { LOOKUP_BASE_URL: 'http://127.0.0.1:9/api/v1' };

/** The two settings, with Discord on this machine and any free port. */
function twoSettings(discord: { readonly token: string; readonly apiUrl: string }) {
  return { DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl, ...lookup, PORT: '0' };
}

describe('the first start', { timeout: 120_000 }, () => {
  it('needs only the token and the address of the service: it offers /setup, and has a key for what that stores', async () => {
    const discord = await localDiscord();
    const directory = tempDir();
    const program = startProgram(['start'], twoSettings(discord), directory);
    expect((await fetch(`${await program.url()}/readyz?role=receive`)).status).toBe(200);
    expect(statSync(join(directory, 'data', 'tallyhook.db.key')).mode & 0o777).toBe(0o600);
    expect(program.output()).toContain('Use /setup in your Discord server to link one');
    await vi.waitFor(() => {
      expect(discord.connected).toBe(true);
      expect(discord.commands().map(({ name }) => name)).toContain('setup');
    }, waitOptions);

    const [manager] = discord.members;
    const { general } = discord.channels;
    if (manager === undefined) throw new Error('The local Discord has no members.');
    const overview = await discord.runCommand({ name: 'setup', options: {}, userId: manager.id, channelId: general })
      .settled;
    const link = controlsOf(overview.components).find(
      (control) => 'label' in control && control.label === 'Link a listing',
    );
    const form = discord.clickButton(overview.id, link?.custom_id ?? '', manager.id);
    expect(await form.response).toMatchObject({ type: 9 });

    program.process.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  });

  it('on PostgreSQL names the key that /setup needs', async () => {
    const { code, stderr } = await runCommand(['start'], {
      ...twoSettings(unreachableDiscord),
      DATABASE_URL: 'postgres://tally@127.0.0.1:9/tally',
    });
    expect(code).toBe(2);
    expect(stderr).toContain('Set SETTINGS_KEY to the output of `openssl rand -hex 32`');
    expect(stderr).toContain('/setup');
  });

  it('without installed packages says how to install them', async () => {
    const clone = tempDir();
    for (const name of ['src', 'commands', 'config']) cpSync(name, join(clone, name), { recursive: true });
    cpSync('package.json', join(clone, 'package.json'));
    const entryFile = join(clone, 'src', 'launch.js');
    const program = startProgram(['start'], twoSettings(unreachableDiscord), clone, [], entryFile);
    expect(await program.ended).toBe(1);
    expect(program.output()).toMatch(
      /^The package \S+ is not installed\. Run "npm ci" in the folder of tallyhook.*\n$/,
    );
  });

  it('needs the address of the service only for a listing with an API key, and names it alone', async () => {
    const { LOOKUP_BASE_URL: _, ...onlyToken } = twoSettings(unreachableDiscord);
    expect(loadConfig(onlyToken)).toMatchObject({ listings: [], lookup: { baseUrl: '' } });
    const { code, stderr } = await runCommand(['start'], { ...onlyToken, LOOKUP_SERVER_KEY: 'key' });
    expect(code).toBe(2);
    expect(stderr).toContain('LOOKUP_BASE_URL is missing');
    expect(stderr).toContain('1 issue)');
  });
});
