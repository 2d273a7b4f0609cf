import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeConfig } from '../../config/describe.ts';
import { listingsFileSchema } from '../../config/listings-file.ts';
import { isConfigured, loadConfig } from '../../config/load.ts';
import { InvalidConfigError } from '../../config/schema.ts';
import { settingNames, settings } from '../../config/settings.ts';
import { tempDir } from '../support/temp-dir.ts';

const least = {
  DISCORD_TOKEN: 'discord-token',
  LOOKUP_BASE_URL: 'https://lists.example/api/v1',
  LOOKUP_SERVER_KEY: 'server-key',
};

function faultsOf(environment: Record<string, string>): readonly { setting: string; problem: string; hint: string }[] {
  try {
    loadConfig(environment);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidConfigError)) throw error;
    return error.issues;
  }
}

describe('the configuration', () => {
  it('needs little, and fills in the defaults of the contract', () => {
    const config = loadConfig(least);
    expect(config).toMatchObject({
      discord: { token: 'discord-token', apiUrl: 'https://discord.com/api', guildId: null },
      databaseUrl: 'sqlite:data/tallyhook.db',
      cacheUrl: 'sqlite:data/cache.db',
      http: { host: '127.0.0.1', port: 3000 },
      ownerToken: null,
      logLevel: 'info',
    });
    expect(config.listings).toMatchObject([
      {
        name: 'server',
        kind: 'server',
        lookupKey: 'server-key',
        rules: { perVote: 10, perPremium: 100, whenDenied: 0, cooldownMs: 43_200_000 },
      },
      { name: 'bot', kind: 'bot', lookupKey: null },
    ]);
  });

  it('takes the one of server and bot that has no key for implied, and no listing of a file', () => {
    const impliedBy = (environment: Record<string, string>) =>
      loadConfig(environment).listings.map(({ kind, implied }) => [kind, implied]);
    const { LOOKUP_SERVER_KEY, ...rest } = least;
    const botKey = { LOOKUP_BOT_KEY: 'bot-key' };
    expect(impliedBy(least)).toEqual([
      ['server', false],
      ['bot', true],
    ]);
    expect(impliedBy({ ...rest, ...botKey })).toEqual([
      ['server', true],
      ['bot', false],
    ]);
    expect(impliedBy({ LOOKUP_SERVER_KEY, ...rest, ...botKey })).toEqual([
      ['server', false],
      ['bot', false],
    ]);
    const path = join(tempDir(), 'listings.json');
    const listings = [
      { name: 'one', kind: 'server', lookupKey: 'k' },
      { name: 'other', kind: 'bot' },
    ];
    writeFileSync(path, JSON.stringify({ listings }), { mode: 0o600 });
    expect(impliedBy({ ...rest, TALLYHOOK_CONFIG: path })).toEqual([
      ['server', false],
      ['bot', false],
    ]);
  });

  it('cannot be changed afterwards', () => {
    const config = loadConfig(least);
    expect(() => Object.assign(config.listings[0]?.rules ?? {}, { perVote: 1_000 })).toThrow(TypeError);
  });

  it('takes every value from a file as well, without the newline at its end', () => {
    const path = join(tempDir(), 'token');
    writeFileSync(path, 'from a file \n', { mode: 0o600 });
    const { DISCORD_TOKEN: _, ...rest } = least;
    expect(loadConfig({ ...rest, DISCORD_TOKEN_FILE: path }).discord.token).toBe('from a file ');
    for (const name of settingNames)
      expect(faultsOf({ ...rest, [`${name}_FILE`]: '/nowhere/at/all' }), name).not.toEqual([]);
  });

  it('splits secrets at commas, and treats an empty variable as unset', () => {
    const [server] = loadConfig({ ...least, VOTE_WEBHOOK_SECRET: 'new, old', OWNER_TOKEN: '' }).listings;
    expect(server?.voteSecrets).toEqual(['new', 'old']);
    expect(loadConfig({ ...least, OWNER_TOKEN: '' }).ownerToken).toBe(null);
  });

  it('sends premium to the first channel unless it has one of its own', () => {
    const one = { ...least, ANNOUNCE_CHANNEL_ID: '11' };
    expect(loadConfig(one).listings[0]).toMatchObject({ announceChannelId: '11', premiumChannelId: '11' });
    expect(loadConfig({ ...one, PREMIUM_CHANNEL_ID: '12' }).listings[0]?.premiumChannelId).toBe('12');
  });

  it('tells all faults in one message, each with its hint, and no secret', () => {
    const faulty = {
      DISCORD_API_URL: 'ftp://x',
      DISCORD_GUILD_ID: 'my guild',
      LOOKUP_BASE_URL: 'https://lists.example/api',
      VOTE_WEBHOOK_SECRET: 'hush,,hush2',
      CREDITS_PER_VOTE: '-1',
      CREDITS_PER_PREMIUM: '1.5',
      CREDITS_WHEN_DENIED: '1000001',
      VOTE_COOLDOWN_HOURS: '0',
      DATABASE_URL: 'mysql://user:hush@host/db',
      CACHE_URL: 'sqlite:',
      PORT: '70000',
      LOG_LEVEL: 'loud',
      ANNOUNCE_CHANNEL_ID: '#general',
    };
    const faults = faultsOf(faulty);
    const named = faults.map(({ setting }) => setting);
    for (const name of [...Object.keys(faulty), 'DISCORD_TOKEN', 'LOOKUP_SERVER_KEY / LOOKUP_BOT_KEY'])
      expect(named).toContain(name);
    expect(faults.every(({ hint }) => hint.length > 10)).toBe(true);
    expect(JSON.stringify(faults)).not.toContain('hush');
  });

  it.each([
    ['CACHE_URL', 'redis://bad host:xx'],
    ['CACHE_URL', 'redis://me:100%sure@host:6379'],
    ['LOOKUP_SERVER_KEY', 'two words'],
  ])('refuses an address that cannot be read and a key that no header can carry: %s=%s', (name, value) => {
    expect(faultsOf({ ...least, [name]: value })).toMatchObject([{ setting: name }]);
  });

  it('refuses a setting that is given twice', () => {
    expect(faultsOf({ ...least, PORT: '1', PORT_FILE: '/x' })).toMatchObject([{ setting: 'PORT' }]);
  });

  it('knows every secret, for the log to cut out', () => {
    const { secrets } = loadConfig({
      ...least,
      VOTE_WEBHOOK_SECRET: 'a-secret,b-secret',
      PREMIUM_WEBHOOK_SECRET: 'c-secret',
      VOTE_WEBHOOK_AUTHORIZATION: 'd-secret',
      OWNER_TOKEN: 'e-secret',
      DATABASE_URL: 'postgres://user:f-secret@host/db',
    });
    expect([...secrets].sort()).toEqual([
      'a-secret',
      'b-secret',
      'c-secret',
      'd-secret',
      'discord-token',
      'e-secret',
      'f-secret',
      'server-key',
    ]);
  });
});

describe('the password of an address', () => {
  it.each([
    ['postgres://user:hush-hush@host/db', ['hush-hush']],
    ['postgres://user:p%40ss%23word@host/db', ['p%40ss%23word', 'p@ss#word']],
    ['postgres://user:pa#ss@host/db', ['pa#ss']],
    ['postgres://user:hush-hush@/db?host=/run/postgresql', ['hush-hush']],
    ['postgres://host/db?password=hush-hush', ['hush-hush']],
  ])('is known as a secret: %s', (url, passwords) => {
    expect(loadConfig({ ...least, DATABASE_URL: url }).secrets).toEqual(expect.arrayContaining(passwords));
  });
});

describe('the sandbox', () => {
  it('is what runs when no Discord is configured, but never in production', () => {
    expect(isConfigured({})).toBe(false);
    expect(isConfigured({ DISCORD_TOKEN: 'x' })).toBe(true);
    expect(isConfigured({ NODE_ENV: 'production' })).toBe(true);
    expect(faultsOf({ ...least, DISCORD_TOKEN: '', NODE_ENV: 'production' })).toMatchObject([
      { setting: 'DISCORD_TOKEN' },
    ]);
  });
});

describe('the file with several listings', () => {
  const { LOOKUP_SERVER_KEY: _, ...shared } = least;
  function withFile(content: unknown, more: Record<string, string> = {}) {
    const path = join(tempDir(), 'listings.json');
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 });
    return { ...shared, ...more, TALLYHOOK_CONFIG: path };
  }
  const red = {
    name: 'red',
    kind: 'server',
    id: '1',
    lookupKey: 'red-key',
    voteSecrets: ['red-secret'],
    creditsPerVote: 3,
  };

  it('replaces the variables of the listings, which stay its defaults', () => {
    const { listings } = loadConfig(
      withFile({ listings: [red, { name: 'blue', kind: 'bot' }] }, { CREDITS_PER_VOTE: '7' }),
    );
    expect(listings).toMatchObject([
      { name: 'red', rules: { perVote: 3 }, voteSecrets: ['red-secret'] },
      { name: 'blue', kind: 'bot', rules: { perVote: 7 }, lookupKey: null },
    ]);
  });

  it('tells its faults with the place of each, and quotes nothing of it', () => {
    expect(
      faultsOf(
        withFile({
          listings: [
            { ...red, id: 'x' },
            { ...red, kind: 'guild', secret: 'hush' },
          ],
        }),
      ),
    ).toMatchObject([
      { setting: 'TALLYHOOK_CONFIG listings.0.id' },
      { setting: 'TALLYHOOK_CONFIG listings.1.kind' },
      { setting: 'TALLYHOOK_CONFIG listings.1' },
    ]);
    expect(faultsOf(withFile({ listings: [red, red] }))).toHaveLength(1);
    expect(faultsOf(withFile({ listings: [red] }, { LOOKUP_BOT_KEY: 'x' }))).toMatchObject([
      { setting: 'LOOKUP_BOT_KEY' },
    ]);
    expect(JSON.stringify(faultsOf(withFile('{"listings": hush')))).not.toContain('hush');
  });

  it('is read with a warning when every user may read it, and refused when every user may write it', () => {
    const environment = withFile({ listings: [red] });
    expect(loadConfig(environment).warnings).toEqual([]);
    chmodSync(environment.TALLYHOOK_CONFIG, 0o644);
    expect(loadConfig(environment).warnings).toMatchObject([{ setting: 'TALLYHOOK_CONFIG' }]);
    chmodSync(environment.TALLYHOOK_CONFIG, 0o646);
    expect(faultsOf(environment)).toMatchObject([{ setting: 'TALLYHOOK_CONFIG' }]);
  });

  it('has a JSON Schema', () => {
    expect(listingsFileSchema()).toMatchObject({ type: 'object', properties: { listings: { type: 'array' } } });
  });
});

describe('a file with a secret', () => {
  const { DISCORD_TOKEN: _, ...others } = least;
  function withMode(mode: number) {
    const path = join(tempDir(), 'token');
    writeFileSync(path, 'hush');
    chmodSync(path, mode);
    return { path, environment: { ...others, DISCORD_TOKEN_FILE: path } };
  }

  it.each([0o666, 0o646, 0o602])('is refused with mode %o, which lets every user write it', (mode) => {
    const { path, environment } = withMode(mode);
    const faults = faultsOf(environment);
    expect(faults).toMatchObject([
      {
        setting: 'DISCORD_TOKEN_FILE',
        problem: expect.stringContaining(`${path} has mode 0${mode.toString(8)}`),
        hint: expect.stringContaining(`chmod 600 ${path}`),
      },
    ]);
    expect(JSON.stringify(faults)).not.toContain('hush');
  });

  it.each([0o444, 0o644, 0o604])('is read with mode %o, as container platforms mount it, with a warning', (mode) => {
    const { path, environment } = withMode(mode);
    const { discord, warnings } = loadConfig(environment);
    expect(discord.token).toBe('hush');
    expect(warnings).toMatchObject([
      {
        setting: 'DISCORD_TOKEN_FILE',
        problem: expect.stringContaining(`${path} (mode 0${mode.toString(8)})`),
        hint: expect.stringContaining(`chmod 600 ${path}`),
      },
    ]);
    expect(JSON.stringify(warnings)).not.toContain('hush');
  });

  it('is named in one warning with all others of its kind', () => {
    const [one, other] = [withMode(0o444), withMode(0o444)];
    const { warnings } = loadConfig({ ...one.environment, OWNER_TOKEN_FILE: other.path });
    expect(warnings).toMatchObject([{ setting: 'DISCORD_TOKEN_FILE, OWNER_TOKEN_FILE' }]);
  });

  it.each([0o600, 0o400, 0o440, 0o640, 0o660])('is read with mode %o', (mode) => {
    const { discord, warnings } = loadConfig(withMode(mode).environment);
    expect(discord.token).toBe('hush');
    expect(warnings).toEqual([]);
  });

  it('is one whatever the secret begins with, and an address of a file is none', () => {
    const { path, environment } = withMode(0o644);
    writeFileSync(path, 'sqlite:hush');
    expect(loadConfig(environment).warnings).toHaveLength(1);
    expect(loadConfig({ ...least, DATABASE_URL_FILE: path }).warnings).toEqual([]);
  });

  it('is one thing, a file with any other setting another', () => {
    const path = join(tempDir(), 'port');
    writeFileSync(path, '81\n');
    chmodSync(path, 0o644);
    expect(loadConfig({ ...least, PORT_FILE: path })).toMatchObject({ http: { port: 81 }, warnings: [] });
  });

  it('that all may write is reported among all the other faults', () => {
    const { environment } = withMode(0o666);
    expect(
      faultsOf({ ...environment, PORT: 'x' })
        .map(({ setting }) => setting)
        .sort(),
    ).toEqual(['DISCORD_TOKEN_FILE', 'PORT']);
  });
});

describe('tallyhook config', () => {
  it('shows what is in force and hides every secret', () => {
    const shown = describeConfig({
      ...least,
      DATABASE_URL: 'postgres://u:hush@db/tally',
      PORT: '81',
      OWNER_TOKEN: 'hush',
    });
    expect(shown).toMatch(/PORT +81\n/);
    expect(shown).toMatch(/HOST +127\.0\.0\.1 {2}\(default\)\n/);
    expect(shown).toMatch(/DATABASE_URL +postgres:\/\/db\/tally/);
    for (const secret of ['hush', 'discord-token', 'server-key']) expect(shown).not.toContain(secret);
  });

  it.each(['sqlite:hush', 'memory:hush', 'https://hush.example/hush', 'postgres://hush:hush@hush/hush'])(
    'shows nothing of a secret that looks like an address: %s',
    (secret) => {
      const names = settingNames.filter((name) => 'secret' in settings[name] && !('isAddress' in settings[name]));
      expect(names.length).toBeGreaterThan(6);
      const shown = describeConfig(Object.fromEntries(names.map((name) => [name, secret])));
      expect(shown).not.toContain('hush');
    },
  );

  it.each(['sqlite://user:hush@host/db', 'memory:hush', 'mysql://user:hush@host/db', 'hush', 'redis://:hush@host'])(
    'shows no password of an address, faulty or not: %s',
    (address) => {
      const environment = { DATABASE_URL: address, CACHE_URL: address, LOOKUP_BASE_URL: 'https://user:hush@host/api' };
      expect(describeConfig(environment)).not.toContain('hush');
      expect(JSON.stringify(faultsOf(environment))).not.toContain('hush');
    },
  );
});

describe('the documents', () => {
  it('name every setting with its default', () => {
    const example = readFileSync('.env.example', 'utf8');
    const readme = readFileSync('docs/configuration.md', 'utf8');
    for (const name of settingNames) {
      const usual = settings[name].default ?? '';
      expect(example, name).toMatch(new RegExp(`^#? ?${name}=${literal(usual)}`, 'm'));
      // Name and default are the first two cells of its row, or stand among others there.
      expect(readme, name).toMatch(new RegExp(`^\\|[^|]*\`${name}\`[^|]*\\|[^|]*${literal(usual)}[^|]*\\|`, 'm'));
    }
  });
});

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
