import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRedactor } from '@tallyhook/platform/redactor';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it } from 'vitest';
import { describeConfig } from '../../config/describe.ts';
import { isConfigured, loadConfig, settingsNeedingRestart, withRotatedSecrets } from '../../config/load.ts';
import { settingNames, settings } from '../../config/settings.ts';
import { renderEventsSchema, renderExample, renderSchema, withTables } from '../../scripts/settings/render.ts';
import { botToken } from '../support/bot-token.ts';
import { issuesOf } from '../support/listings-file.ts';

const minimal = {
  DISCORD_TOKEN: botToken,
  LOOKUP_BASE_URL: 'https://lists.example/api/v1',
  LOOKUP_SERVER_KEY: 'server-key',
};

describe('the configuration', () => {
  it('requires few settings, and has defaults for the others', () => {
    const config = loadConfig(minimal);
    expect(config).toMatchObject({
      discord: { token: botToken, apiUrl: 'https://discord.com/api', guildId: null },
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
        rewards: { base: { perVote: 10, perPremium: 100, whenDenied: 0, cooldownMs: 43_200_000 } },
      },
      { name: 'bot', kind: 'bot', lookupKey: null },
    ]);
  });

  it('marks the server or bot without a key as implied, but no listing of a file', () => {
    const impliedKinds = (environment: Record<string, string>) =>
      loadConfig(environment)
        .listings.map(({ kind, implied }) => `${kind}: ${implied}`)
        .join(', ');
    const { LOOKUP_SERVER_KEY: _, ...otherSettings } = minimal;
    const [one, both] = [minimal, { ...minimal, LOOKUP_BOT_KEY: 'bot-key' }].map(impliedKinds);
    expect([one, both]).toEqual(['server: false, bot: true', 'server: false, bot: false']);
    const path = join(tempDir(), 'listings.json');
    const listings = [
      { name: 'one', kind: 'server', lookupKey: 'k' },
      { name: 'other', kind: 'bot' },
    ];
    writeFileSync(path, JSON.stringify({ listings }), { mode: 0o600 });
    expect(impliedKinds({ ...otherSettings, TALLYHOOK_CONFIG: path })).toBe(both);
  });

  it('reads every value from a file as well, without the trailing newline', () => {
    const path = join(tempDir(), 'token');
    writeFileSync(path, `${botToken}1\n`, { mode: 0o600 });
    const { DISCORD_TOKEN: _, ...otherSettings } = minimal;
    expect(loadConfig({ ...otherSettings, DISCORD_TOKEN_FILE: path }).discord.token).toBe(`${botToken}1`);
    for (const name of settingNames)
      expect(issuesOf({ ...otherSettings, [`${name}_FILE`]: '/nowhere/at/all' }), name).not.toEqual([]);
  });

  it('splits secrets at commas, and treats an empty variable as unset', () => {
    const [server] = loadConfig({ ...minimal, VOTE_WEBHOOK_SECRET: 'new, old', OWNER_TOKEN: '' }).listings;
    expect(server?.voteSecrets).toEqual(['new', 'old']);
    expect(loadConfig({ ...minimal, OWNER_TOKEN: '' }).ownerToken).toBe(null);
  });

  it('announces premium in the vote channel unless it has its own channel', () => {
    const one = { ...minimal, ANNOUNCE_CHANNEL_ID: '11' };
    expect(loadConfig(one).listings[0]).toMatchObject({ announceChannelId: '11', premiumChannelId: '11' });
    expect(loadConfig({ ...one, PREMIUM_CHANNEL_ID: '12' }).listings[0]?.premiumChannelId).toBe('12');
  });

  it('reports all issues together, each with a hint, and no secret', () => {
    const invalid = {
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
    const issues = issuesOf(invalid);
    const reported = issues.map(({ setting }) => setting);
    expect(new Set(reported)).toEqual(new Set([...Object.keys(invalid), 'DISCORD_TOKEN']));
    expect(issues.every(({ hint }) => hint.length > 10)).toBe(true);
    expect(JSON.stringify(issues)).not.toContain('hush');
  });

  it.each([
    ['CACHE_URL', 'redis://bad host:xx'],
    ['CACHE_URL', 'redis://me:100%sure@host:6379'],
    ['LOOKUP_SERVER_KEY', 'two words'],
  ])('rejects a malformed URL, and a key that is not valid in a header: %s=%s', (name, value) => {
    expect(issuesOf({ ...minimal, [name]: value })).toMatchObject([{ setting: name }]);
  });

  it('rejects a setting that is set twice', () => {
    expect(issuesOf({ ...minimal, PORT: '1', PORT_FILE: '/x' })).toMatchObject([{ setting: 'PORT' }]);
  });

  it('lists all secrets, for redaction', () => {
    const { secrets } = loadConfig({
      ...minimal,
      VOTE_WEBHOOK_SECRET: 'a-secret,b-secret',
      PREMIUM_WEBHOOK_SECRET: 'c-secret',
      VOTE_WEBHOOK_AUTHORIZATION: 'd-secret',
      OWNER_TOKEN: 'e-secret',
      DATABASE_URL: 'postgres://user:f-secret@host/db',
    });
    expect([...secrets].sort().join(' ')).toBe(
      `${botToken} a-secret b-secret c-secret d-secret e-secret f-secret server-key`,
    );
  });
});

describe('the password of a URL', () => {
  it.each([
    ['postgres://user:hush-hush@host/db', ['hush-hush']],
    ['postgres://user:p%40ss%23word@host/db', ['p%40ss%23word', 'p@ss#word']],
    ['postgres://user:pa@ss:word@host/db', ['pa@ss:word']],
    ['postgres://user:hush-hush@/db?host=/run/postgresql', ['hush-hush']],
    ['postgres://host/db?password=hush-hush', ['hush-hush']],
  ])('is listed as a secret: %s', (url, passwords) => {
    expect(loadConfig({ ...minimal, DATABASE_URL: url }).secrets).toEqual(expect.arrayContaining(passwords));
  });
});

describe('the sandbox', () => {
  it('runs without a configured Discord, but never in production', () => {
    expect(isConfigured({})).toBe(false);
    expect(isConfigured({ DISCORD_TOKEN: 'x' })).toBe(true);
    expect(isConfigured({ NODE_ENV: 'production' })).toBe(true);
    expect(isConfigured({ TALLYHOOK_ROLES: 'receive' })).toBe(true);
    expect(issuesOf({ ...minimal, DISCORD_TOKEN: '', NODE_ENV: 'production' })).toMatchObject([
      { setting: 'DISCORD_TOKEN' },
    ]);
  });
});

describe('the roles', () => {
  const receiver = { TALLYHOOK_ROLES: 'receive', VOTE_WEBHOOK_SECRET: 'secret' };

  it('are all by default, or any of them in any order', () => {
    expect(loadConfig(minimal).roles).toEqual(['receive', 'announce', 'answer']);
    expect(loadConfig({ ...minimal, TALLYHOOK_ROLES: 'answer, receive' }).roles).toEqual(['answer', 'receive']);
  });

  it.each([
    ['unknown', 'receive,anounce'],
    ['empty', ','],
    ['repeated', 'receive,answer,receive'],
  ])('that are %s are an issue with a hint', (_, TALLYHOOK_ROLES) => {
    expect(issuesOf({ ...minimal, TALLYHOOK_ROLES })).toEqual([
      {
        setting: 'TALLYHOOK_ROLES',
        problem: `has an invalid value: ${JSON.stringify(TALLYHOOK_ROLES)}.`,
        hint: 'Set it to one or more of receive, announce, answer, separated by commas, each once.',
      },
    ]);
  });

  it('need nothing of Discord and of the lookup API if they only receive', () => {
    const config = loadConfig(receiver);
    expect(config).toMatchObject({ roles: ['receive'], discord: { token: '' }, lookup: { baseUrl: '' } });
    expect(config.listings).toMatchObject([
      { name: 'server', lookupKey: null, voteSecrets: ['secret'], implied: false },
      { name: 'bot', lookupKey: null, voteSecrets: ['secret'], implied: true },
    ]);
    const path = join(tempDir(), 'listings.json');
    writeFileSync(path, JSON.stringify({ listings: [{ name: 'red', kind: 'server' }] }), { mode: 0o600 });
    expect(issuesOf({ TALLYHOOK_ROLES: 'receive', TALLYHOOK_CONFIG: path })).toEqual([]);
  });

  it.each(['announce', 'answer', 'receive,announce'])(
    'need the token for %s, and the address with a key',
    (TALLYHOOK_ROLES) => {
      const namesOf = (environment: Record<string, string>) => issuesOf(environment).map(({ setting }) => setting);
      expect(namesOf({ ...receiver, TALLYHOOK_ROLES })).toEqual(['DISCORD_TOKEN']);
      const needed = ['DISCORD_TOKEN', 'LOOKUP_BASE_URL'];
      expect(namesOf({ ...receiver, TALLYHOOK_ROLES, LOOKUP_BOT_KEY: 'key' })).toEqual(needed);
    },
  );
});

describe('without API keys', () => {
  const { LOOKUP_SERVER_KEY: _, ...two } = minimal;
  const noKeys = 'LOOKUP_SERVER_KEY / LOOKUP_BOT_KEY';
  const postgres = { ...two, DATABASE_URL: 'postgres://host/db' };

  it('there are no listings until one is linked in Discord', () => {
    expect(loadConfig(two).listings).toEqual([]);
    expect(loadConfig({ ...postgres, SETTINGS_KEY: 'ab'.repeat(32) }).listings).toEqual([]);
  });

  it('PostgreSQL needs SETTINGS_KEY, and the hint names it, /setup and the keys', () => {
    const [issue, ...others] = issuesOf(postgres);
    expect(others).toEqual([]);
    expect(issue).toMatchObject({ setting: noKeys, problem: expect.stringContaining('SETTINGS_KEY') });
    expect(issue?.hint).toMatch(/openssl rand -hex 32.*\/setup.*API key/);
  });

  it('an invalid database or key is the only issue', () => {
    const settingsOf = (environment: Record<string, string>) => issuesOf(environment).map(({ setting }) => setting);
    expect(settingsOf({ ...two, DATABASE_URL: 'mysql://host/db' })).toEqual(['DATABASE_URL']);
    expect(settingsOf({ ...postgres, SETTINGS_KEY: 'short' })).toEqual(['SETTINGS_KEY']);
    expect(settingsOf({ ...postgres, LOOKUP_BOT_KEY: 'two words' })).toEqual(['LOOKUP_BOT_KEY']);
  });

  it('webhooks with a secret are received', () => {
    const kinds = loadConfig({ ...two, VOTE_WEBHOOK_SECRET: 'secret' }).listings.map(({ kind }) => kind);
    expect(kinds).toEqual(['server', 'bot']);
  });
});

describe('the public key', () => {
  it('is 64 hexadecimal digits', () => {
    const key = '0123456789abcdef'.repeat(4);
    expect(loadConfig(minimal).discord.publicKey).toBe(null);
    expect(loadConfig({ ...minimal, DISCORD_PUBLIC_KEY: key.toUpperCase() }).discord.publicKey).toBe(key);
    for (const invalid of [key.slice(1), `${key}0`, key.replace('a', 'g')]) {
      expect(issuesOf({ ...minimal, DISCORD_PUBLIC_KEY: invalid })).toMatchObject([{ setting: 'DISCORD_PUBLIC_KEY' }]);
    }
  });
});

describe('the listings file', () => {
  const { LOOKUP_SERVER_KEY: _, ...sharedSettings } = minimal;
  function withFile(content: unknown, otherSettings: Record<string, string> = {}) {
    const path = join(tempDir(), 'listings.json');
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 });
    return { ...sharedSettings, ...otherSettings, TALLYHOOK_CONFIG: path };
  }
  const red = {
    ...{ name: 'red', kind: 'server', id: '1', lookupKey: 'red-key', voteSecrets: ['red-secret'] },
    rewards: { vote: 3 },
  };

  it('replaces the listing variables, and inherits the other ones as defaults', () => {
    const { listings } = loadConfig(
      withFile({ listings: [red, { name: 'blue', kind: 'bot' }] }, { CREDITS_PER_VOTE: '7' }),
    );
    expect(listings).toMatchObject([
      { name: 'red', rewards: { base: { perVote: 3 } }, voteSecrets: ['red-secret'] },
      { name: 'blue', kind: 'bot', rewards: { base: { perVote: 7 } }, lookupKey: null },
    ]);
  });

  it('reports issues with their path, and never quotes the file', () => {
    expect(
      issuesOf(
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
    expect(issuesOf(withFile({ listings: [red, red] }))).toHaveLength(1);
    expect(issuesOf(withFile({ listings: [red] }, { LOOKUP_BOT_KEY: 'x' }))).toMatchObject([
      { setting: 'LOOKUP_BOT_KEY' },
    ]);
    expect(JSON.stringify(issuesOf(withFile('{"listings": hush')))).not.toContain('hush');
  });

  it('is accepted with a warning if every user can read it, and rejected if every user can write it', () => {
    const environment = withFile({ listings: [red] });
    expect(loadConfig(environment).warnings).toEqual([]);
    chmodSync(environment.TALLYHOOK_CONFIG, 0o644);
    expect(loadConfig(environment).warnings).toMatchObject([{ setting: 'TALLYHOOK_CONFIG' }]);
    chmodSync(environment.TALLYHOOK_CONFIG, 0o646);
    expect(issuesOf(environment)).toMatchObject([{ setting: 'TALLYHOOK_CONFIG' }]);
  });
});

describe('a secret file', () => {
  const { DISCORD_TOKEN: _, ...others } = minimal;
  function withMode(mode: number) {
    const path = join(tempDir(), 'token');
    writeFileSync(path, 'hush');
    chmodSync(path, mode);
    // Another Discord has tokens of any form.
    const environment = { ...others, DISCORD_API_URL: 'http://127.0.0.1:9/api', DISCORD_TOKEN_FILE: path };
    return { path, environment };
  }

  it.each([0o666, 0o646, 0o602])('is rejected with mode %o, in which every user can write it', (mode) => {
    const { path, environment } = withMode(mode);
    const issues = issuesOf(environment);
    expect(issues).toMatchObject([
      {
        setting: 'DISCORD_TOKEN_FILE',
        problem: expect.stringContaining(`${path} has mode 0${mode.toString(8)}`),
        hint: expect.stringContaining(`chmod 600 ${path}`),
      },
    ]);
    expect(JSON.stringify(issues)).not.toContain('hush');
  });

  it.each([0o444, 0o644, 0o604])('is accepted with a warning with mode %o, which container platforms use', (mode) => {
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

  it('is reported in a single warning together with other files', () => {
    const [one, other] = [withMode(0o444), withMode(0o444)];
    const { warnings } = loadConfig({ ...one.environment, OWNER_TOKEN_FILE: other.path });
    expect(warnings).toMatchObject([{ setting: 'DISCORD_TOKEN_FILE, OWNER_TOKEN_FILE' }]);
  });

  it.each([0o600, 0o400, 0o440, 0o640, 0o660])('is accepted with mode %o', (mode) => {
    const { discord, warnings } = loadConfig(withMode(mode).environment);
    expect(discord.token).toBe('hush');
    expect(warnings).toEqual([]);
  });

  it('is checked, unlike a file with another setting', () => {
    const path = join(tempDir(), 'port');
    writeFileSync(path, '81\n');
    chmodSync(path, 0o644);
    expect(loadConfig({ ...minimal, PORT_FILE: path })).toMatchObject({ http: { port: 81 }, warnings: [] });
  });
});

describe('tallyhook config', () => {
  it('shows the settings in effect, and hides every secret', () => {
    const shown = describeConfig({
      ...minimal,
      DATABASE_URL: 'postgres://u:hush@db/tally',
      PORT: '81',
      OWNER_TOKEN: 'hush',
    });
    expect(shown).toMatch(/PORT +81\n/);
    expect(shown).toMatch(/HOST +127\.0\.0\.1 {2}\(default\)\n/);
    expect(shown).toMatch(/DATABASE_URL +postgres:\/\/db\/tally/);
    for (const secret of ['hush', botToken, 'server-key']) expect(shown).not.toContain(secret);
  });

  it.each(['sqlite:hush', 'memory:hush', 'https://hush.example/hush', 'postgres://hush:hush@hush/hush'])(
    'hides a secret that looks like a URL: %s',
    (secret) => {
      const names = settingNames.filter((name) => 'secret' in settings[name] && !('isAddress' in settings[name]));
      expect(names.length).toBeGreaterThan(6);
      const shown = describeConfig(Object.fromEntries(names.map((name) => [name, secret])));
      expect(shown).not.toContain('hush');
    },
  );

  it.each(['sqlite://user:hush@host/db', 'memory:hush', 'mysql://user:hush@host/db', 'hush', 'redis://:hush@host'])(
    'hides the password of a URL, valid or not: %s',
    (address) => {
      const environment = { DATABASE_URL: address, CACHE_URL: address, LOOKUP_BASE_URL: 'https://user:hush@host/api' };
      expect(describeConfig(environment)).not.toContain('hush');
      expect(JSON.stringify(issuesOf(environment))).not.toContain('hush');
    },
  );
});

describe('the documentation', () => {
  it('lists the settings as they are declared: node scripts/settings.ts writes it', () => {
    expect(readFileSync('.env.example', 'utf8')).toBe(renderExample());
    expect(readFileSync('docs/tallyhook.schema.json', 'utf8')).toBe(renderSchema());
    expect(readFileSync('docs/events.schema.json', 'utf8')).toBe(renderEventsSchema());
    const page = readFileSync('docs/configuration.md', 'utf8');
    expect(page).toBe(withTables(page));
    for (const name of settingNames) expect(page, name).toContain(`| \`${name}\` |`);
  });
});

const receiver = { TALLYHOOK_ROLES: 'receive', VOTE_WEBHOOK_SECRET: 'vote-secret' };
const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://localhost:4318/';

describe('the settings of traces', () => {
  it('are off without a collector, whatever else is set', () => {
    expect(loadConfig(receiver).tracing).toBe(null);
    expect(loadConfig({ ...receiver, OTEL_SERVICE_NAME: 'votes', OTEL_TRACES_SAMPLER: 'always_on' }).tracing).toBe(
      null,
    );
  });

  it('have the defaults of OpenTelemetry', () => {
    expect(loadConfig({ ...receiver, OTEL_EXPORTER_OTLP_ENDPOINT }).tracing).toEqual({
      endpoint: 'http://localhost:4318',
      headers: {},
      serviceName: 'tallyhook',
      resourceAttributes: {},
      sampler: 'parentbased_always_on',
      samplerRatio: 1,
    });
  });

  it('are read as OpenTelemetry does', () => {
    const { tracing } = loadConfig({
      ...receiver,
      OTEL_EXPORTER_OTLP_ENDPOINT,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20hush-hush, x-team = votes',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=named,deployment.environment.name=a%2Cb',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    });
    expect(tracing).toMatchObject({
      headers: { authorization: 'Bearer hush-hush', 'x-team': 'votes' },
      serviceName: 'named',
      resourceAttributes: { 'deployment.environment.name': 'a,b' },
      sampler: 'parentbased_traceidratio',
      samplerRatio: 0.25,
    });
  });

  it('keep the headers out of the log and of the output of `tallyhook config`', () => {
    const environment = {
      ...receiver,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:pass-hush@localhost:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20hush-hush,x-key=key-hush',
    };
    expect(describeConfig(environment)).not.toContain('hush');
    const redact = createRedactor(loadConfig(environment).secrets);
    expect(redact('Bearer hush-hush, hush-hush, key-hush, pass-hush')).not.toContain('hush');
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://localhost:4317'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
  ])('are rejected if %s is "%s"', (name, value) => {
    expect(issuesOf({ ...receiver, OTEL_EXPORTER_OTLP_ENDPOINT, [name]: value })).toMatchObject([{ setting: name }]);
  });
});

const before = {
  DISCORD_TOKEN: botToken,
  LOOKUP_BASE_URL: 'https://lists.example/api/v1',
  LOOKUP_SERVER_KEY: 'server-key',
  VOTE_WEBHOOK_SECRET: 'old-secret',
};
const active = loadConfig(before);

describe('a rotation', () => {
  it('activates webhook secrets and API keys, and still redacts the old ones', () => {
    const loaded = loadConfig({
      ...before,
      VOTE_WEBHOOK_SECRET: 'new-secret',
      PREMIUM_WEBHOOK_SECRET: 'premium-secret',
      VOTE_WEBHOOK_AUTHORIZATION: 'my value',
      LOOKUP_SERVER_KEY: 'new-key',
    });
    const next = withRotatedSecrets(active, loaded);
    expect(next.listings[0]).toMatchObject({
      voteSecrets: ['new-secret'],
      premiumSecrets: ['premium-secret'],
      voteAuthorization: 'my value',
      lookupKey: 'new-key',
    });
    expect(next.secrets).toEqual(expect.arrayContaining(['old-secret', 'server-key', 'new-secret', 'new-key']));
    expect(settingsNeedingRestart(next, loaded)).toEqual([]);
  });

  it('changes no other setting, and lists the changed ones', () => {
    const loaded = loadConfig({
      ...before,
      ...{ DISCORD_TOKEN: `${botToken}0`, OWNER_TOKEN: 'owner', PORT: '81', CREDITS_PER_VOTE: '99' },
      ...{ LOOKUP_BOT_KEY: 'bot-key', REMINDERS: 'off' },
    });
    const next = withRotatedSecrets(active, loaded);
    expect(next).toMatchObject({ discord: { token: botToken }, ownerToken: null, http: { port: 3000 } });
    expect(next.listings).toMatchObject([{ rewards: { base: { perVote: 10 } } }, { lookupKey: null }]);
    expect(settingsNeedingRestart(next, loaded)).toEqual([
      'DISCORD_TOKEN, DISCORD_API_URL, DISCORD_GUILD_ID, DISCORD_PUBLIC_KEY',
      ...['listings, channels, rewards, shop', 'REMINDERS', 'HOST, PORT', 'OWNER_TOKEN'],
    ]);
  });

  it('removes the webhook secrets of a removed listing', () => {
    const { base, listings } = active;
    const [server] = listings;
    const next = withRotatedSecrets(active, { ...active, base: { ...base, sources: base.sources.slice(1) } });
    expect(next.listings[0]).toEqual({ ...server, voteSecrets: [], premiumSecrets: [], voteAuthorization: null });
  });
});
