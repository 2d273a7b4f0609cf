import { chmodSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { day, hour } from '@tallyhook/platform/durations';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it, onTestFinished } from 'vitest';
import { evaluateCredentials, evaluateHealth, evaluateKeyHeader } from '../src/cli/doctor/address.ts';
import { evaluateWebhooks } from '../src/cli/doctor/database.ts';
import { serviceCommand } from '../src/cli/service-command.ts';
import { createBotDatabase } from '../testing/bot-database.ts';
import { running } from '../testing/running.ts';
import { captive } from '../testing/terminal.ts';

interface Finding {
  readonly check: string;
  readonly level: string;
  readonly message: string;
  readonly hint: string | null;
}

async function doctor(args: readonly string[], environment: Record<string, string> = {}) {
  const { terminal, output } = captive(undefined, environment);
  const code = await serviceCommand(['doctor', ...args, '--json'], terminal);
  const text = output();
  const { findings }: { findings: Finding[] } = JSON.parse(text.slice(text.indexOf('{')));
  return { code, text, messages: findings.map(({ check, level, message }) => `${level} ${check}: ${message}`) };
}

/** Plays Discord: its clock, and the tokens of the application with this secret. */
async function discordServer(secret: string): Promise<string> {
  const expected = `Basic ${Buffer.from(`7:${secret}`).toString('base64')}`;
  const server = createServer((request, response) => {
    const isToken = request.url?.endsWith('/oauth2/token');
    response.writeHead(isToken && request.headers.authorization !== expected ? 401 : 200).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
}

describe('the doctor of the service', () => {
  it('finds nothing wrong with a running service, and changes nothing', async () => {
    const { service, database } = await running();
    const api = await discordServer('hush');
    const options = ['--database', database, '--public-url', service.url, '--discord-api-url', api];
    const { code, messages, text } = await doctor([...options, '--discord-client-id', '7'], {
      SERVICE_DISCORD_CLIENT_SECRET: 'hush',
    });
    expect(messages).toEqual([
      'warn sign-in: Without --production, every visitor may act as any member.',
      `pass address: ${service.url} is reachable.`,
      `warn address: ${service.url} is not encrypted.`,
      'pass address: The running service is ready.',
      'pass address: The API is reachable, and API keys arrive.',
      'pass clock: The clock agrees with Discord.',
      'pass database: The database is readable and up to date.',
      'pass database: The database is writable.',
      'pass database: The database file is intact.',
      'pass counts: The counts of 2 listings equal their votes and reviews.',
      'pass webhooks: No webhook delivery is late; 0 wait.',
      expect.stringMatching(/^(pass|warn) disk: /),
      'pass files: Other users of this machine cannot read the secrets or the database.',
    ]);
    expect(code).toBe(0);
    expect(text).not.toContain('hush');
  });

  it('finds wrong counts, a rejected client secret and a file that others can read', async () => {
    const { service, database: address } = await running();
    await service.stop();
    const path = address.slice('sqlite:'.length);
    const database = new DatabaseSync(path);
    database.exec("update vote_counts set votes = 0 where listing_id = '613425648685547541'");
    database.close();
    chmodSync(path, 0o644);
    chmodSync(path.replace(/\/[^/]*$/, ''), 0o755);
    const api = await discordServer('new secret');
    const options = ['--production', '--database', address, '--public-url', service.url, '--discord-api-url', api];
    const { code, messages } = await doctor([...options, '--discord-client-id', '7'], {
      SERVICE_DISCORD_CLIENT_SECRET: 'old secret',
    });
    expect(code).toBe(1);
    expect(messages).toEqual(
      expect.arrayContaining([
        'fail sign-in: Discord rejects the client id or the client secret.',
        'warn protection: Nobody can open the moderation pages.',
        'warn protection: With --trust-proxy 0, the address of a visitor is that of the proxy.',
        expect.stringMatching(/^fail address: .* does not respond/),
        expect.stringMatching(/^fail counts: 1 count differs .*613425648685547541 counts 0 votes, but has \d+/),
        expect.stringMatching(/^warn files: Every user of this machine can read /),
      ]),
    );
  });

  it('names a database of the bot, and creates none', async () => {
    const directory = tempDir();
    const api = await discordServer('hush');
    await createBotDatabase(`sqlite:${directory}/bot.db`);
    const bot = await doctor(
      ['--database', `sqlite:${directory}/bot.db`, '--discord-client-id', '7', '--discord-api-url', api],
      {
        SERVICE_DISCORD_CLIENT_SECRET: 'hush',
      },
    );
    expect(bot.messages).toContain(
      'fail database: --database (or SERVICE_DATABASE_URL) points to a database of the bot.',
    );
    const missing = await doctor(['--database', `sqlite:${directory}/new.db`]);
    expect(missing.messages).toContain('warn database: There is no database yet.');
    expect(missing.messages).toContain('warn address: The public address was not checked.');
  });
});

it('late deliveries fail, paused and failing webhooks are mentioned', () => {
  const now = 10 * day;
  const state = { waiting: 7, dueSince: now - 1 * hour, paused: 1, failing: 2 };
  expect(evaluateWebhooks(state, now).map(({ level, message }) => `${level} ${message}`)).toEqual([
    'fail A webhook delivery has been due for 1 hour; 7 wait.',
    'warn 1 webhook is paused.',
    'warn 2 webhooks have only failed for an hour.',
  ]);
});

it('a proxy that changes requests is found', () => {
  const headers = new Headers();
  const response = (status: number, body: string) => ({ status, headers, body });
  const failure = (error: string) => response(401, JSON.stringify({ success: false, error }));
  expect(evaluateKeyHeader(failure('The API key is missing.'))).toMatchObject({
    level: 'fail',
    message: 'The header X-API-Key does not arrive.',
  });
  expect(evaluateKeyHeader(response(401, 'Log in first'))).toMatchObject({ level: 'fail' });
  expect(evaluateHealth('https://x', response(200, '<html>'))).toMatchObject({ level: 'fail' });
  const redirect = { status: 301, headers: new Headers({ location: 'https://y/' }), body: '' };
  expect(evaluateHealth('https://x', redirect).message).toBe('https://x redirects to https://y/ (301).');
  expect(evaluateHealth('https://x', { status: null, reason: 'CERT_HAS_EXPIRED' }).hint).toContain('certificate');
  expect(evaluateCredentials({ status: null, reason: 'ECONNREFUSED' })).toMatchObject({ level: 'warn' });
});
