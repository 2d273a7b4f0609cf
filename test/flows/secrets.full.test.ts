import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { type LocalDiscord, startLocalDiscord } from 'local-discord';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { sign } from '../../src/webhook/signature.ts';
import { runCommand } from '../support/command-line.ts';
import { failure, type json, startFakeService, success } from '../support/fake-service.ts';
import { offeredCommands } from '../support/offered-commands.ts';
import { type Program, startProgram } from '../support/start-program.ts';

const waitOptions = { timeout: 60_000, interval: 50 };

/** Every kind of secret, with a unique value to search for. */
const secrets = {
  token: 'discord-token.wrong-but.s3cret/+=value',
  serverKey: 'server-key-s3cret/+=value',
  botKey: 'bot-key-s3cret/+=value',
  vote: 'vote s3cret/+= välue',
  voteOld: 'vote-old-s3cret-value',
  voteNew: 'vote-new-s3cret-value',
  premium: 'premium-s3cret-value',
  authorization: 'authorization-s3cret-value',
  owner: 'owner-s3cret-value',
  database: 'database-s3cret#value',
  cache: 'cache-s3cret-value',
} as const;

/** The encodings in which a secret may appear. */
function encodingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    encodeURIComponent(secret),
    encodeURI(secret),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('hex'),
    bytes.toString('base64').replace(/.?=*$/, ''),
    bytes.toString('base64url').slice(0, -1),
    Buffer.from(`user:${secret}`).toString('base64').slice(8, -5),
  ];
}

/** Collects all output: logs, errors, responses and messages. */
function captureOutput() {
  const sources: (() => string)[] = [];
  return {
    run(args: readonly string[], environment: Record<string, string>, directory: string): Program {
      const running = startProgram(args, environment, directory);
      sources.push(running.output);
      return running;
    },
    async runInProcess(...of: Parameters<typeof runCommand>): Promise<number> {
      const { code, output } = await runCommand(...of);
      sources.push(() => output);
      return code;
    },
    async request(url: string, options: RequestInit = {}): Promise<number> {
      const response = await fetch(url, options);
      const heads = JSON.stringify([...response.headers]);
      const text = await response.text();
      sources.push(() => `${response.status} ${heads} ${text}`);
      return response.status;
    },
    addOutput: (source: () => string) => void sources.push(source),
    allOutput: () => sources.map((read) => read()).join('\n'),
  };
}

const unreachableServices = { DISCORD_API_URL: 'http://127.0.0.1:9/api', LOOKUP_BASE_URL: 'http://127.0.0.1:9/api/v1' };
const settings = {
  ...unreachableServices,
  DISCORD_TOKEN: secrets.token,
  LOOKUP_SERVER_KEY: secrets.serverKey,
  LOOKUP_BOT_KEY: secrets.botKey,
  PREMIUM_WEBHOOK_SECRET: secrets.premium,
  VOTE_WEBHOOK_AUTHORIZATION: secrets.authorization,
  OWNER_TOKEN: secrets.owner,
  CACHE_URL: `redis://:${secrets.cache}@127.0.0.1:9`,
  LOG_LEVEL: 'trace',
  PORT: '0',
};

function expectNoSecretIn(text: string, values: readonly string[]): void {
  for (const secret of values) {
    for (const encoding of encodingsOf(secret)) {
      const at = text.indexOf(encoding);
      expect(at === -1 ? null : text.slice(Math.max(0, at - 300), at + 100), `${secret} as ${encoding}`).toBe(null);
    }
  }
}

describe('no secret appears in any log, error, response or message', { timeout: 120_000 }, () => {
  it('of a run with every kind of failure', async () => {
    const directory = tempDir();
    const service = await startFakeService();
    onTestFinished(() => service.close());
    const redirectTarget = await startFakeService();
    onTestFinished(() => redirectTarget.close());
    const discord = await startLocalDiscord({ rateLimits: false });
    onTestFinished(() => discord.stop());
    const { run, request, addOutput, allOutput } = captureOutput();
    const file = join(directory, 'listings.json');
    const writeListings = (...voteSecrets: string[]) => writeFileSync(file, listingsWith(voteSecrets), { mode: 0o600 });
    writeListings(secrets.vote, secrets.voteOld);
    const { LOOKUP_SERVER_KEY: _s, LOOKUP_BOT_KEY: _b, PREMIUM_WEBHOOK_SECRET: _p, ...shared } = settings;
    const { VOTE_WEBHOOK_AUTHORIZATION: _a, ...otherSettings } = shared;
    const environment = {
      ...otherSettings,
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.apiUrl,
      LOOKUP_BASE_URL: service.baseUrl,
      TALLYHOOK_CONFIG: file,
      ANNOUNCE_CHANNEL_ID: discord.channels.announcements,
      PREMIUM_CHANNEL_ID: discord.channels.premium,
    };
    const running = run(['start'], environment, directory);
    const url = await running.url();
    const { length } = await offeredCommands(environment);
    await vi.waitFor(() => expect(discord.commands()).toHaveLength(length), waitOptions);
    await runAllCommands(discord, service, redirectTarget.origin);
    await sendSecretsEverywhere(url, request);

    discord.faults.losePermission(discord.channels.announcements);
    discord.faults.respond500(3, /POST .*messages/);
    await vote(url, request, '2');
    discord.faults.outage(true);
    await vote(url, request, '3');
    for (const path of ['/readyz', '/metrics', '/healthz']) await request(url + path);
    await vi.waitFor(() => expect(running.output()).toContain('cannot be reached'), waitOptions);

    writeListings(secrets.voteNew, '');
    running.process.kill('SIGHUP');
    await vi.waitFor(() => expect(running.output()).toContain('the previous settings stay active'), waitOptions);
    writeListings(secrets.voteNew);
    running.process.kill('SIGHUP');
    await vi.waitFor(() => expect(running.output()).toContain('configuration reloaded'), waitOptions);
    await request(`${url}/webhooks/${secrets.voteNew}?key=${secrets.voteNew}`);
    for (const path of ['/summary', '/effects?limit=100', '/users/1', `/users/${secrets.vote}`])
      await request(`${url}/owner/api${path}`, { headers: { authorization: `Bearer ${secrets.owner}` } });
    running.process.kill('SIGTERM');
    expect(await running.ended).toBe(0);

    addOutput(() => JSON.stringify(Object.values(discord.channels).map((channel) => discord.messages(channel, null))));
    const tokens = discord.dispatches
      .map(({ d }) => (d as { token?: unknown }).token)
      .filter((token) => typeof token === 'string');
    expect(tokens.length).toBeGreaterThan(10);
    expect(new Set(service.requests.map(({ headers }) => headers['x-api-key'])).size).toBe(failures.length);
    expect(redirectTarget.requests).toEqual([]);
    const { token: _t, serverKey: _k, botKey: _c, ...configured } = secrets;
    const keys = failures.map((_, index) => keyOf(index));
    expectNoSecretIn(allOutput(), [discord.token, ...tokens, ...keys, ...Object.values(configured)]);
  });

  it('of a start with an invalid configuration', async () => {
    const directory = tempDir();
    const { run, runInProcess, allOutput } = captureOutput();
    const file = join(directory, 'listings.json');
    const listing = { name: 'a b', kind: 'guild', lookupKey: secrets.serverKey, voteSecrets: [secrets.vote, 7] };
    writeFileSync(file, JSON.stringify({ listings: [listing, listing], secret: secrets.premium }), { mode: 0o600 });
    const broken = join(directory, 'broken.json');
    writeFileSync(broken, `{"listings": [{"lookupKey": ${secrets.serverKey}`, { mode: 0o600 });
    const worldReadable = join(directory, 'open');
    writeFileSync(worldReadable, secrets.owner, { mode: 0o644 });
    const { DISCORD_TOKEN: _, ...withoutToken } = settings;

    const database = `postgres://tally:${encodeURIComponent(secrets.database)}@127.0.0.1:9/tally`;
    const environmentOf = (changes: Record<string, string>) => {
      return { ...withoutToken, DISCORD_TOKEN: secrets.token, NODE_ENV: 'production', ...changes };
    };
    const attempts: [args: string[], changes: Record<string, string>, code: number][] = [
      [
        ['start'],
        {
          PORT: 'x',
          VOTE_WEBHOOK_SECRET: `${secrets.vote},,`,
          DATABASE_URL: `mysql://tally:${secrets.database}@host/db`,
          CACHE_URL: `http://:${secrets.cache}@host`,
          OWNER_TOKEN: '',
          OWNER_TOKEN_FILE: worldReadable,
        },
        2,
      ],
      [['start'], { TALLYHOOK_CONFIG: broken }, 2],
      [['start'], { LOOKUP_SERVER_KEY: `${secrets.serverKey} with spaces` }, 2],
      [['register'], {}, 1],
      [['config', '--check'], { DATABASE_URL: database, TALLYHOOK_CONFIG: file }, 2],
    ];
    for (const [args, changes, code] of attempts)
      expect(await runInProcess(args, environmentOf(changes), directory), args[0]).toBe(code);
    // With its log.
    expect(await run(['start'], environmentOf({ DATABASE_URL: database }), directory).ended).toBe(1);
    expectNoSecretIn(allOutput(), Object.values(secrets));
  });

  it('of a program whose Discord token is rejected', async () => {
    const discord = await startLocalDiscord();
    onTestFinished(() => discord.stop());
    const { run, request, allOutput } = captureOutput();
    const environment = {
      ...settings,
      DISCORD_API_URL: discord.apiUrl,
      ANNOUNCE_CHANNEL_ID: discord.channels.announcements,
      VOTE_WEBHOOK_SECRET: secrets.vote,
    };
    const running = run(['start'], environment, tempDir());
    const url = await running.url();
    await vote(url, request, '1');
    await vi.waitFor(() => expect(running.output()).toMatch(/rejects the bot token/), waitOptions);
    await request(`${url}/readyz`);
    running.process.kill('SIGTERM');
    expect(await running.ended).toBe(0);
    expectNoSecretIn(allOutput(), Object.values(secrets));
  });
});

type SendRequest = (url: string, options?: RequestInit) => Promise<number>;

async function vote(url: string, request: SendRequest, userId: string): Promise<void> {
  const body = JSON.stringify({ event: 'server_vote', userId, timestamp: new Date().toISOString() });
  const headers = { 'x-webhook-signature': sign(body, secrets.vote) };
  expect(await request(`${url}/webhooks/vote`, { method: 'POST', body, headers })).toBe(200);
}

const echoKey = (key: string) => `You sent the key ${key}`;

/** Failures of the service, which repeat the key. Each has its own listing, because failed lookups are cached. */
const failures: readonly ((key: string, redirectTarget: string) => ReturnType<typeof json>)[] = [
  (key) => failure(401, echoKey(key)),
  (key) => failure(500, echoKey(key)),
  (key, redirectTarget) => (response) =>
    response.writeHead(302, { location: `${redirectTarget}/api/v1/server?key=${key}` }).end(),
  (key) => (response) => response.end(echoKey(key)),
  (key) => (response) => response.writeHead(404).end(Buffer.from(echoKey(key)).toString('base64')),
  () => (response) => response.socket?.destroy(),
  (key) => success({ name: 7, description: [echoKey(key)] }),
];
const keyOf = (index: number) => `${secrets.serverKey}-${index}`;

/** The listings file, with a listing for each failure. Only the first one receives webhooks. */
function listingsWith(voteSecrets: readonly string[]): string {
  const listings = failures.map((_, index) => ({
    name: `server${index}`,
    kind: 'server',
    lookupKey: keyOf(index),
    ...(index === 0 && {
      voteSecrets,
      premiumSecrets: [secrets.premium],
      voteAuthorization: secrets.authorization,
    }),
  }));
  return JSON.stringify({ listings });
}

/** Runs every command for every failure of the service, while some requests to Discord fail, too. */
async function runAllCommands(
  discord: LocalDiscord,
  service: Awaited<ReturnType<typeof startFakeService>>,
  redirectTarget: string,
): Promise<void> {
  const [member] = discord.members;
  if (member === undefined) throw new Error('no member');
  service.respondWith((response, request) => {
    const key = String(request.headers['x-api-key']);
    failures[Number(key.at(-1))]?.(key, redirectTarget)(response, request);
  });
  for (const listing of failures.keys()) {
    if (listing === 1) discord.faults.respond500(2, /callback/);
    if (listing === 2) discord.faults.loseAnswers(2, /callback/);
    for (const name of ['canvote', 'reviews', 'stats']) {
      const options = { listing: `server${listing}` };
      const use = { name, options, userId: member.id, channelId: discord.channels.general };
      const { id } = discord.runCommand(use);
      // Without the deadline of Discord, after which a response that it has not accepted would have failed.
      const isAnswered = () => discord.requests.some(({ path }) => path.startsWith(`/interactions/${id}/`));
      while (!isAnswered()) await once(discord.events, 'request');
    }
  }
}

/** Sends every secret in paths, queries, headers and signatures to every route. */
async function sendSecretsEverywhere(url: string, request: SendRequest): Promise<void> {
  await vote(url, request, '1');
  for (const secret of Object.values(secrets)) {
    const encoded = encodeURIComponent(secret);
    const headers = {
      authorization: `Bearer ${Buffer.from(secret).toString('base64')}`,
      'x-webhook-signature': encodeURIComponent(secret),
      cookie: `a=${encoded}`,
    };
    for (const path of ['/', '/webhooks/vote', '/owner/api/users', '/healthz', '/readyz'])
      await request(`${url}${path}/${encoded}?key=${encoded}&b=${Buffer.from(secret).toString('base64url')}`, {
        headers,
      });
    await request(`${url}/webhooks/vote?key=${encoded}`, { method: 'POST', body: secret, headers });
    await request(`${url}/webhooks/vote`, {
      method: 'POST',
      body: secret,
      headers: { 'x-webhook-signature': sign(secret, secrets.vote) },
    });
    await request(`${url}/%E0%A4%A${encoded}`);
  }
}
