import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidConfigError } from '@tallyhook/platform/invalid-config-error';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it } from 'vitest';
import { readAppOptions } from '../../config/app-options.ts';
import { describeConfig } from '../../config/describe.ts';
import { readEnvironment } from '../../config/environment.ts';
import { communityConfig } from '../../config/listings.ts';
import { loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import { configWarnings, dotEnvWarnings, logConfigWarnings, unknownVariables } from '../../config/warnings.ts';
import { linkPath } from '../../src/core/settings/stored-settings.ts';
import { botToken } from '../support/bot-token.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';

const minimal = { DISCORD_TOKEN: botToken, LOOKUP_BASE_URL: 'https://lists.example/api/v1' };
const id = '613425648685547541';
const publicKey = '0123456789abcdef'.repeat(4);

function issuesOf(read: () => unknown): InvalidConfigError['issues'] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof InvalidConfigError) return error.issues;
    throw error;
  }
}

function withFile(listing: object): Config {
  const path = join(tempDir(), 'listings.json');
  writeFileSync(path, JSON.stringify({ listings: [listing] }), { mode: 0o600 });
  return loadConfig({ ...minimal, TALLYHOOK_CONFIG: path });
}

describe('a pasted setting', () => {
  const token = ({ discord }: Config) => discord.token;
  const guild = ({ discord }: Config) => discord.guildId;
  const base = ({ lookup }: Config) => lookup.baseUrl;
  it.each<[string, string, (config: Config) => unknown, unknown]>([
    ['DISCORD_TOKEN', `"${botToken}"`, token, botToken],
    ['DISCORD_TOKEN', `Bot ${botToken} `, token, botToken],
    ['DISCORD_TOKEN', `\u200B${botToken}\u2060`, token, botToken],
    ['DISCORD_GUILD_ID', ` ${id}\u00A0`, guild, id],
    ['DISCORD_GUILD_ID', `https://discord.com/channels/${id}/204255221017214977`, guild, id],
    ['ANNOUNCE_CHANNEL_ID', `<#${id}>`, ({ base: { defaults } }) => defaults.ANNOUNCE_CHANNEL_ID, id],
    [
      'ANNOUNCE_CHANNEL_ID',
      `https://discord.com/channels/204255221017214977/${id}`,
      ({ base: { defaults } }) => defaults.ANNOUNCE_CHANNEL_ID,
      id,
    ],
    ['VOTER_ROLE_ID', `<@&${id}>`, ({ base: { defaults } }) => defaults.VOTER_ROLE_ID, id],
    ['DISCORD_API_URL', 'https://discord.com/api/v10/', ({ discord }) => discord.apiUrl, 'https://discord.com/api'],
    ['LOOKUP_BASE_URL', '127.0.0.1:3200', base, 'http://127.0.0.1:3200/api/v1'],
    ['LOOKUP_BASE_URL', ' <https://lists.example/> ', base, 'https://lists.example/api/v1'],
    ['PUBLIC_URL', '"votes.example.com/"', ({ publicUrl }) => publicUrl, 'https://votes.example.com'],
    ['HOST', '[::]', ({ http }) => http.host, '::'],
    ['PORT', '":8080"', ({ http }) => http.port, 8080],
    ['LOG_LEVEL', '"debug" ', ({ logLevel }) => logLevel, 'debug'],
    ['DATABASE_URL', "psql 'postgres://me:p%40ss@db/tally'", (c) => c.databaseUrl, 'postgres://me:p%40ss@db/tally'],
    [
      'DATABASE_URL',
      'postgres://me:p@ss@db:5432/tally?sslmode=require',
      (c) => URL.parse(c.databaseUrl)?.host,
      'db:5432',
    ],
    [
      'DATABASE_URL',
      'postgres:///tally?host=/run/postgresql&user=me@server',
      (c) => c.databaseUrl.slice(0, 12),
      'postgres:///',
    ],
  ])('%s is cleaned where the meaning is certain: %j', (name, text, read, value) => {
    const key = { SETTINGS_KEY: publicKey };
    expect(read(loadConfig({ ...minimal, ...key, [name]: text }))).toBe(value);
    const path = join(tempDir(), 'value');
    writeFileSync(path, `\uFEFF${text}\r\n`, { mode: 0o600 });
    const { [name as keyof typeof minimal]: _, ...others } = minimal;
    expect(read(loadConfig({ ...others, ...key, [`${name}_FILE`]: path }))).toBe(value);
  });

  it.each<readonly [string, string, string]>([
    ['DISCORD_TOKEN', publicKey, "the application's public key"],
    ['DISCORD_TOKEN', 'Abcdefghijklmnopqrstuvwxyz-_0123', 'client secret'],
    ['DISCORD_TOKEN', id, 'it is an id'],
    ['DISCORD_TOKEN', `${botToken.slice(0, 30)} ${botToken.slice(30)}`, 'a blank or a line break'],
    ['DISCORD_TOKEN', `${botToken}…`, 'a character that no token has'],
    ['DISCORD_CLIENT_SECRET', botToken, 'a bot token'],
    ['DISCORD_GUILD_ID', '0', 'the id of nothing'],
    ['DISCORD_GUILD_ID', `<#${id}>`, 'not a mention'],
    ['PUBLIC_URL', 'votes.example.com:8443', 'begins with http:// or https://'],
    ['LOOKUP_BASE_URL', 'http://me:1/hush@lists.example/api/v1', 'percent-encoded'],
    ['HOST', '0.0.0.0:3000', 'a port'],
    ['HOST', '*', '0.0.0.0 for all addresses'],
    ['OWNER_TOKEN', 'Schlüssel-hush-hush', 'beyond ASCII'],
    ['VOTE_WEBHOOK_SECRET', 'hush\u200Bhush', 'an invisible character'],
    ['LOOKUP_SERVER_KEY', 'hüsh-hush', 'beyond ASCII'],
    ...['pa@hush/wxrd', 'pa/hush', 'pa#hush', 'pa?hush', '12/hush', '12#hush', '100%hush'].flatMap((password) => [
      ['DATABASE_URL', `postgres://me:${password}@db/tally`, 'percent-encoded'] as const,
      ['CACHE_URL', `redis://me:${password}@cache:6379`, 'percent-encoded'] as const,
    ]),
  ])('%s is refused at the check, with what is wrong with its form and nothing of it: %s', (name, text, problem) => {
    const environment = { ...minimal, [name]: text };
    const issues = issuesOf(() => loadConfig(environment));
    expect(issues).toMatchObject([{ setting: name, problem: expect.stringContaining(problem) }]);
    const shown = JSON.stringify(issues) + describeConfig(environment);
    for (const piece of ['hush', 'hüsh', 'wxrd', text.slice(0, 24)]) {
      if (text.includes(piece) && text.length > 24) expect(shown).not.toContain(piece);
    }
  });

  it('of an app and of the file is cleaned and refused in the same way', () => {
    const options = { token: `Bot ${botToken}`, lookup: { baseUrl: 'lists.example' }, settingsKey: `"${publicKey}"` };
    const config = readAppOptions(options, null);
    expect([config.discord.token, config.lookup.baseUrl]).toEqual([botToken, 'https://lists.example/api/v1']);
    expect(issuesOf(() => readAppOptions({ ...options, token: publicKey }, null))).toMatchObject([
      { path: ['token'], problem: expect.stringContaining('public key') },
    ]);
    const listings = [{ name: 'one', kind: 'bot', site: 'topgg' }];
    expect(issuesOf(() => readAppOptions({ ...options, listings }, null))).toMatchObject([
      { setting: 'listings[0].voteSecrets', path: ['listings', 0, 'voteSecrets'] },
    ]);
    const listing = {
      ...{ name: 'one', kind: 'server', lookupKey: ' key\u200B', guildId: ` ${id} `, announceChannelId: `<#${id}>` },
    };
    expect(withFile(listing).listings).toMatchObject([{ lookupKey: 'key', guildId: id, announceChannelId: id }]);
    expect(issuesOf(() => withFile({ ...listing, guildId: Number(id) }))).toMatchObject([
      { problem: expect.stringContaining('a number is rounded') },
    ]);
  });

  it('of another Discord may be any token', () => {
    const local = { DISCORD_TOKEN: 'token-for-tests', DISCORD_API_URL: 'http://127.0.0.1:9/api' };
    expect(loadConfig({ ...minimal, ...local }).discord.token).toBe('token-for-tests');
  });
});

describe('a secret with letters beyond ASCII', () => {
  const listing = { name: 'one', kind: 'server', voteSecrets: ['Schlüssel-ß'] };

  it('is refused on a site that sends it in a header', () => {
    const custom = { name: 'Other', user: 'user' };
    for (const site of [{ site: 'discordbotlist' }, { site: 'custom', custom }]) {
      expect(issuesOf(() => withFile({ ...listing, ...site, kind: 'bot' }))).toMatchObject([
        { setting: expect.stringContaining('voteSecrets'), problem: expect.stringContaining('beyond ASCII') },
      ]);
    }
  });

  it('is reported if it was entered with /setup', () => {
    const stored = [
      { listing: 'one', path: linkPath, value: { kind: 'bot', id, site: 'discordbotlist' } },
      { listing: 'one', path: 'voteSecrets', value: ['Schlüssel-ß'] },
    ];
    expect(communityConfig(loadConfig(minimal).base, id, stored).issues).toMatchObject([
      { listing: 'one', path: 'voteSecrets', problem: expect.stringContaining('beyond ASCII') },
    ]);
  });

  it('is accepted for a signature', () => {
    expect(withFile({ ...listing, lookupKey: 'key' }).listings[0]?.voteSecrets).toEqual(['Schlüssel-ß']);
  });
});

describe('the file .env', () => {
  const lines = [
    `VOTE_WEBHOOK_SECRET=abc#def`,
    `OWNER_TOKEN='abc#def'`,
    'LOOKUP_SERVER_KEY=abc # a comment',
    'LOG_LEVEL=info#x',
    '#DISCORD_CLIENT_SECRET=a#b',
  ];

  it('has a warning for a secret that a # cuts, with the way to write it', () => {
    const path = join(tempDir(), '.env');
    writeFileSync(path, lines.join('\r\n'));
    expect(dotEnvWarnings(path)).toMatchObject([
      { setting: 'VOTE_WEBHOOK_SECRET', hint: expect.stringContaining("VOTE_WEBHOOK_SECRET='…'") },
    ]);
    expect(dotEnvWarnings(join(tempDir(), '.env'))).toEqual([]);
  });

  it('is read in UTF-16, and refused if it is a folder', () => {
    const path = join(tempDir(), '.env');
    writeFileSync(path, Buffer.from(`\uFEFF${lines.join('\n')}`, 'utf16le'));
    expect(readEnvironment({}, path)).toMatchObject({ OWNER_TOKEN: 'abc#def' });
    const folder = join(tempDir(), '.env');
    mkdirSync(folder);
    expect(() => readEnvironment({}, folder)).toThrow('is a folder');
  });
});

it('a comma in a short secret, and an id with too few digits, are warned of', () => {
  expect(configWarnings({ VOTE_WEBHOOK_SECRET: 'pass,word', DISCORD_GUILD_ID: '12345' })).toMatchObject([
    { setting: 'VOTE_WEBHOOK_SECRET', problem: 'is read as 2 secrets, which its commas separate.' },
    { setting: 'DISCORD_GUILD_ID', problem: 'has 5 digits, and the ids of Discord have 17 to 20.' },
  ]);
  const rotation = { VOTE_WEBHOOK_SECRET: 'a-long-secret-of-before, a-long-secret-of-now' };
  expect(configWarnings({ ...rotation, DISCORD_GUILD_ID: id })).toEqual([]);
});

it('a file of settings that is not JSON is reported with line, column and a hint, and nothing of it', () => {
  const path = join(tempDir(), 'listings.json');
  writeFileSync(path, '\uFEFF{"listings": [\n  {"name": "one", "kind": "server", "lookupKey": "hush",}\n]}', {
    mode: 0o600,
  });
  const issues = issuesOf(() => loadConfig({ ...minimal, TALLYHOOK_CONFIG: path }));
  expect(issues).toMatchObject([
    {
      problem: expect.stringContaining('which is not JSON at line 2, column 57.'),
      hint: expect.stringContaining('Remove the comma before this bracket.'),
    },
  ]);
  expect(JSON.stringify(issues)).not.toContain('hush');
});

const suggestions = (environment: Record<string, string>) =>
  unknownVariables(environment).map(({ setting, hint }) => `${setting}: ${hint}`);

describe('a variable that looks like a setting, but is not', () => {
  it.each([
    ['VOTE_WEBHOOK_SECERT', 'VOTE_WEBHOOK_SECRET'],
    ['VOTE_WEBHOOK_SECRETS', 'VOTE_WEBHOOK_SECRET'],
    ['DISCORD_TOKEN_FIL', 'DISCORD_TOKEN_FILE'],
    ['LOOKUP_SERVERKEY', 'LOOKUP_SERVER_KEY'],
    ['ANOUNCE_CHANNEL_ID', 'ANNOUNCE_CHANNEL_ID'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['database_url', 'DATABASE_URL'],
    ['LOG_LEVLE', 'LOG_LEVEL'],
  ])('is reported with a suggestion: %s', (name, suggestion) => {
    expect(suggestions({ [name]: 'x' })).toEqual([`${name}: Did you mean ${suggestion}?`]);
  });

  it('is reported without a suggestion if no setting is similar and its name begins with ours', () => {
    expect(suggestions({ TALLYHOOK_PERMISSIONS: '1' })).toEqual([expect.stringContaining('tallyhook config')]);
  });

  it('is reported without its value, which may be a secret', () => {
    expect(JSON.stringify(unknownVariables({ VOTE_WEBHOOK_SECERT: 'hush' }))).not.toContain('hush');
  });
});

describe('a variable of another program', () => {
  it.each([
    ...['PATH', 'HOSTNAME', 'POST', 'PORTS', 'DATABASE_NAME', 'CACHE_DIR', 'LOG_DIR', 'npm_config_cache'],
    ...['VOTE_LOG', 'VOTE_SECRET', 'DISCORD_PERMISSIONS', 'DISCORD_CLIENT_ID', 'LOOKUP_KEY', 'OWNER_NAME'],
  ])('is not reported: %s', (name) => expect(unknownVariables({ [name]: 'x' })).toEqual([]));

  it('is not reported if the similar setting is set', () => {
    expect(unknownVariables({ DATABASE_URI: 'x', DATABASE_URL: 'sqlite:x' })).toEqual([]);
  });

  it('is not reported if Kubernetes set it for a service named tallyhook, or if it is empty', () => {
    const kubernetesVariables = ['TALLYHOOK_SERVICE_HOST', 'TALLYHOOK_PORT', 'TALLYHOOK_PORT_3000_TCP_ADDR'];
    expect(unknownVariables(Object.fromEntries(kubernetesVariables.map((name) => [name, 'x'])))).toEqual([]);
    expect(unknownVariables({ VOTE_WEBHOOK_SECERT: '' })).toEqual([]);
  });
});

/** What is logged of a configuration with these listings. */
function warningsOf(config: Config, listings: Parameters<typeof logConfigWarnings>[1] = config.listings): string[] {
  const { log, logged } = collectingLog();
  logConfigWarnings(config, listings, log);
  return logged.map((line) => JSON.stringify(line));
}

it.each([
  ['fifteen-letters', 1],
  ['sixteen-letters!', 0],
])('warns about an owner token that can be guessed: %s', (token, warnings) => {
  const config = loadConfig({ ...settings(unreachableDiscord), OWNER_TOKEN: token });
  const ownerTokenWarnings = warningsOf(config).filter((line) => line.includes('OWNER_TOKEN'));
  expect(ownerTokenWarnings).toHaveLength(warnings);
  expect(ownerTokenWarnings.join()).not.toContain(token);
});

it.each([
  ['no listing', 'receive,answer', [], 1],
  ['a linked listing', 'receive,answer', [{ voteSecrets: ['secret'] }], 0],
  ['no listing, and does not receive', 'answer', [], 0],
])('warns that every delivery will be rejected, if it has %s: %s', (_, roles, linked, warnings) => {
  const { VOTE_WEBHOOK_SECRET: _vote, PREMIUM_WEBHOOK_SECRET: _premium, ...environment } = settings(unreachableDiscord);
  const config = loadConfig({ ...environment, TALLYHOOK_ROLES: roles });
  const listing = {
    ...{ lookupKey: 'key', voteSecrets: [], premiumSecrets: [], voteAuthorization: null, announceChannelId: '1' },
  };
  const listings = [...config.listings, ...linked.map((each) => ({ ...listing, ...each }))];
  expect(warningsOf(config, listings).filter((line) => line.includes('no webhook secret'))).toHaveLength(warnings);
});

it('says how to link the first listing, and which commands need a key', () => {
  const logged = (environment: Record<string, string>) => warningsOf(loadConfig(environment)).join('');
  const { VOTE_WEBHOOK_SECRET, PREMIUM_WEBHOOK_SECRET: _, LOOKUP_SERVER_KEY, ...two } = settings(unreachableDiscord);
  const secret = { VOTE_WEBHOOK_SECRET: VOTE_WEBHOOK_SECRET ?? '' };
  expect(logged(two)).toContain('Link a listing with /setup');
  expect(logged(two)).not.toContain('every delivery will be rejected');
  expect(logged({ ...two, ...secret })).toContain('/claim and /reviews are not offered');
  const complete = { ...two, ...secret, LOOKUP_SERVER_KEY: LOOKUP_SERVER_KEY ?? '' };
  expect(logged(complete)).not.toMatch(/\/setup in your|not offered/);
});
