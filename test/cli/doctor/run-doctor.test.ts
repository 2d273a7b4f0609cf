import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '@tallyhook/platform/clock';
import { sharedByTests } from '@tallyhook/platform/testing/on-finished';
import { queryValue } from '@tallyhook/platform/testing/query-value';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { captive } from 'listing-service/testing/terminal';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { allGuilds } from '../../../src/discord/circuits.ts';
import { fetchApplicationId } from '../../../src/discord/inspection.ts';
import { updateApplication } from '../../../src/discord/registration/application-settings.ts';
import { createDiscordRest } from '../../../src/discord/rest.ts';
import { publish } from '../../../src/features/linked-roles/parts.ts';
import { openStore } from '../../../src/features/store.ts';
import { runCommandLine } from '../../../src/main.ts';
import { fastClock } from '../../support/bot.ts';
import { botToken } from '../../support/bot-token.ts';
import { createDatabaseWithVotes } from '../../support/database-with-votes.ts';
import { diagnose } from '../../support/diagnose.ts';
import { voteSecret } from '../../support/listings.ts';
import { newSqliteFile } from '../../support/new-sqlite.ts';
import { type Installation, startInstallation } from '../../support/start-installation.ts';
import { serve } from '../../support/start-receiver.ts';

const vote = (userId: string) => ({ event: 'server_vote', userId, timestamp: new Date().toISOString() });

/** Settings with an unreachable Discord and service, for tests of the database checks. */
function settingsWithout(databaseUrl: string): Record<string, string> {
  return {
    DISCORD_TOKEN: 'token-for-tests',
    DISCORD_API_URL: 'http://127.0.0.1:9/api',
    LOOKUP_BASE_URL: 'http://127.0.0.1:9/api/v1',
    LOOKUP_SERVER_KEY: 'server-key-for-tests',
    VOTE_WEBHOOK_SECRET: voteSecret,
    DATABASE_URL: databaseUrl,
    PORT: '0',
  };
}

async function votedFile(...statements: string[]) {
  const path = newSqliteFile();
  await createDatabaseWithVotes(`sqlite:${path}`, ['1', '2', '3']);
  const database = new DatabaseSync(path);
  for (const statement of statements) database.exec(statement);
  return { path, database, environment: settingsWithout(`sqlite:${path}`) };
}

async function untilRegistered({ lines }: Installation): Promise<void> {
  await vi.waitFor(() => expect(lines.join()).toContain('slash commands registered'), { timeout: 60_000 });
}

describe('doctor, while tallyhook is running', { timeout: 120_000 }, () => {
  /** For the tests that change nothing of it. */
  const shared = sharedByTests(async () => {
    const installation = await startInstallation();
    await untilRegistered(installation);
    return installation;
  });

  /** The settings of the shared installation with a database of its own. */
  async function withOwnDatabase(): Promise<{ environment: Record<string, string>; path: string }> {
    const path = newSqliteFile();
    const environment = { ...shared().environment, DATABASE_URL: `sqlite:${path}` };
    await (await openStore(environment.DATABASE_URL, systemClock, { thread: false })).close();
    return { environment, path };
  }

  it('tells a tallyhook of another installation on the same port', async () => {
    const { environment, url } = shared();
    const changes = { PORT: new URL(url).port, DATABASE_URL: `sqlite:${newSqliteFile()}-of-another` };
    const { findingsOf } = await diagnose({ ...environment, ...changes });
    expect(findingsOf('program').join()).toContain('fail: Another tallyhook runs at HOST and PORT');
  });

  it('finds no problem in a valid installation, and prints no secret', async () => {
    const { environment, url, post } = shared();
    await post('/webhooks/vote', vote('1'));
    const { results, findingsOf, text } = await diagnose(environment, { url: `${url}/webhooks/vote` });
    expect(results.filter(({ level }) => level === 'fail')).toEqual([]);
    for (const check of 'configuration secrets clock discord channels commands keys ledger disk'.split(' '))
      expect(findingsOf(check).filter((line) => !line.startsWith('pass:'))).toEqual([]);
    expect(findingsOf('requests')).toEqual(['pass: Discord has rejected 0 requests in the last ten minutes.']);
    expect(findingsOf('keys').join()).toContain('the server "Lantern Harbour"');
    expect(findingsOf('listings')[0]).toContain(
      'Lantern Harbour (server): secret, channel #votes, last delivery just now',
    );
    expect(findingsOf('address')[0]).toBe(`pass: ${url} is reachable and rejects unsigned deliveries.`);
    for (const secret of ['DISCORD_TOKEN', 'LOOKUP_SERVER_KEY', 'LOOKUP_BOT_KEY', 'VOTE_WEBHOOK_SECRET', 'OWNER_TOKEN'])
      expect(text).not.toContain(environment[secret]);
  });

  it('warns of a server that is linked in Discord beside the listing of the variables', async () => {
    const { discord } = shared();
    const { environment } = await withOwnDatabase();
    expect((await diagnose(environment)).findingsOf('listings').join()).not.toContain('are the same server');
    const profile = await fetch(`${environment['LOOKUP_BASE_URL']}/server`, {
      headers: { 'x-api-key': environment['LOOKUP_SERVER_KEY'] ?? '' },
    });
    const { data } = (await profile.json()) as { readonly data: { readonly id: string } };
    const { guildId } = discord;
    const store = await openStore(environment['DATABASE_URL'] ?? '', systemClock, { thread: false });
    // As before it was known that they are the same.
    const value = JSON.stringify({ kind: 'server', id: data.id });
    const values = [{ listing: 'server-1', path: 'link', after: { value, sealed: null } }];
    const change = { guildId, authorId: '1', interactionId: '1', at: 1, basis: null, undoes: null, values };
    await store.settings.save(change);
    await store.close();
    const { results } = await diagnose(environment);
    expect(results.filter(({ check }) => check === 'listings')).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/^Lantern Harbour \(server\): secret/) }),
      expect.objectContaining({ message: expect.stringMatching(/\(bot\): secret/) }),
      expect.objectContaining({ message: expect.stringMatching(/^server-1: no secret, .* Its votes are rejected/) }),
      {
        ...{ check: 'listings', level: 'warn' },
        message: `The listings Lantern Harbour (server) and server-1 in the server ${guildId} are the same server. A vote for it counts once.`,
        hint: expect.stringMatching(/^Unlink server-1 with \/setup/),
      },
    ]);
  });

  it('warns of requests that Discord has rejected, and of linked roles that it does not know', async () => {
    const linked = { PUBLIC_URL: 'https://votes.example', DISCORD_CLIENT_SECRET: 'client-secret-for-tests' };
    const environment: Record<string, string> = { ...(await withOwnDatabase()).environment, ...linked };
    const reject = async (count: number) => {
      const store = await openStore(environment['DATABASE_URL'] ?? '', systemClock, { thread: false });
      await store.circuits.addRejections(Math.floor(systemClock.now() / 60_000), [{ guildId: allGuilds, count }]);
      await store.close();
    };
    await reject(5_000);
    const first = await diagnose(environment);
    expect(first.findingsOf('requests')).toEqual([
      'warn: Discord has rejected 5,000 requests in the last ten minutes.',
    ]);
    expect(first.findingsOf('linked-roles')).toEqual([
      'warn: Discord has no page on which members link their account, so it offers no linked roles.',
      'warn: The conditions of linked roles are not those of this version.',
    ]);
    await reject(3_000);
    const config = loadConfig(environment);
    const rest = createDiscordRest(config.discord);
    await updateApplication(rest, await fetchApplicationId(rest), publish(config)?.settings ?? {});
    const second = await diagnose(environment);
    expect(second.findingsOf('requests')[0]).toMatch(/^fail: .* 8,000 requests/);
    expect(second.findingsOf('linked-roles')).toEqual([
      'pass: Members link their account at https://votes.example/linked-roles.',
    ]);
    const moved = await diagnose({ ...environment, PUBLIC_URL: 'https://elsewhere.example' });
    expect(moved.findingsOf('linked-roles')[0]).toContain('not at https://elsewhere.example/linked-roles');
  });

  it('reports a rejected bot token, and skips the other Discord checks', async () => {
    const { findingsOf } = await diagnose({ ...shared().environment, DISCORD_TOKEN: 'wrong-token' });
    expect(findingsOf('discord')).toEqual(['fail: Discord rejects the bot token (401).']);
    expect(findingsOf('channels')).toEqual(['warn: Skipped, because the discord check failed.']);
    expect(findingsOf('commands')).toEqual(['warn: Skipped, because the discord check failed.']);
  });

  it('reports a deleted channel, a hidden one, missing permissions, and a guild without the bot', async () => {
    const { environment, discord } = await startInstallation();
    const { announcements, premium, general } = discord.channels;
    discord.faults.deleteChannel(premium);
    discord.faults.losePermission(announcements, 'embedLinks');
    discord.faults.losePermission(announcements, 'readMessageHistory');
    const first = await diagnose({ ...environment, DISCORD_GUILD_ID: '42' });
    expect(first.findingsOf('channels')).toEqual([
      `fail: The bot is missing Embed Links in #votes (${announcements}) of "Lantern Harbour".`,
      `fail: Channel ${premium} does not exist.`,
    ]);
    expect(first.findingsOf('discord')[1]).toBe('fail: The bot is not in the guild of DISCORD_GUILD_ID (42).');
    discord.faults.regainPermission(announcements, 'embedLinks');
    discord.faults.losePermission(general, 'viewChannel');
    const second = await diagnose({ ...environment, PREMIUM_CHANNEL_ID: general });
    expect(second.findingsOf('channels')).toEqual([
      `pass: The bot can announce in #votes (${announcements}) of "Lantern Harbour".`,
      'warn: The bot is missing Read Message History in #votes. Announcements work without it.',
      `fail: The bot cannot see channel ${general}.`,
    ]);
  });

  it('reports commands that are not registered', async () => {
    const { DISCORD_GUILD_ID: _everywhere, ...rest } = shared().environment;
    expect((await diagnose(rest)).findingsOf('commands')).toEqual([
      'fail: The slash commands are not registered globally, or they are outdated.',
      expect.stringMatching(
        /^warn: \/vote, .* Award credits, .* are also registered in guild \d+, by an earlier start/,
      ),
    ]);
  });

  it('recognises commands without stored ids, and reports a command of another program with the same name', async () => {
    const installation = await startInstallation();
    const { environment, discord } = installation;
    await untilRegistered(installation);
    const elsewhere = { ...environment, DATABASE_URL: `sqlite:${join(tempDir(), 'none.db')}` };
    expect((await diagnose(elsewhere)).findingsOf('commands')).toEqual([
      `pass: The slash commands are registered in guild ${discord.guildId}.`,
    ]);
    const rest = createDiscordRest(discord);
    const route = `/applications/${discord.applicationId}/guilds/${discord.guildId}/commands` as const;
    const id = discord.commands().find(({ name }) => name === 'stats')?.id;
    await rest.delete(`${route}/${id}`);
    await rest.post(route, { name: 'stats', description: 'Statistics of the game.' });
    const conflictId = discord.commands().find(({ name }) => name === 'stats')?.id;
    expect((await diagnose(environment)).findingsOf('commands')).toEqual([
      `pass: The slash commands are registered in guild ${discord.guildId}.`,
      `warn: Another program has registered /stats (${conflictId}).`,
    ]);
  });

  it('reports swapped and invalid API keys', async () => {
    const { environment } = shared();
    const { LOOKUP_SERVER_KEY = '', LOOKUP_BOT_KEY = '' } = environment;
    const swapped = await diagnose({
      ...environment,
      LOOKUP_SERVER_KEY: LOOKUP_BOT_KEY,
      LOOKUP_BOT_KEY: LOOKUP_SERVER_KEY,
    });
    expect(swapped.findingsOf('keys')).toEqual([
      'fail: The API key of server is valid, but does not belong to a server (400).',
      'fail: The API key of bot is valid, but does not belong to a bot (400).',
    ]);
    const invalid = await diagnose({ ...environment, LOOKUP_SERVER_KEY: 'wrong-key' });
    expect(invalid.findingsOf('keys')[0]).toBe('fail: The service rejects the API key of server (401).');
  });

  it('reports 403 separately, and respects the request budget of the running process', async () => {
    const { environment, path } = await withOwnDatabase();
    let requestCount = 0;
    const forbidding = await serve((_request, response) => {
      requestCount += 1;
      response.writeHead(403).end('<h1>Access denied</h1>');
    });
    const changed = { ...environment, LOOKUP_BASE_URL: `${forbidding}/api/v1` };
    expect((await diagnose(changed)).findingsOf('keys')[0]).toBe(
      'fail: The service rejects the request with the API key of server (403).',
    );
    const database = new DatabaseSync(path);
    database.exec(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
       INSERT INTO lookup_requests SELECT DISTINCT lookup_requests.key_id, ${Date.now()} - i FROM lookup_requests, n`,
    );
    database.close();
    requestCount = 0;
    expect((await diagnose(changed)).findingsOf('keys')[0]).toMatch(
      /^warn: The API key of server was not checked: No request/,
    );
    // The clock check sends no API key, so it is not counted.
    expect(requestCount).toBe(1);
  });

  it('reports a wrong clock', async () => {
    const { environment } = shared();
    const withOffset = (ms: number) => ({ clock: { ...systemClock, now: () => Date.now() + ms } });
    const behind = await diagnose(environment, withOffset(-10 * 60_000));
    expect(behind.findingsOf('clock')[0]).toMatch(
      /^fail: The clock is 10 min behind Discord\. New votes .* quarantined/,
    );
    expect(behind.findingsOf('clock')).toHaveLength(2);
  });
});

describe('doctor, without Discord and the service', { timeout: 60_000 }, () => {
  it('reports this at once, and still checks the database', async () => {
    const { environment } = await votedFile();
    const { findingsOf } = await diagnose(environment);
    expect(findingsOf('discord')).toEqual(['fail: Discord cannot be reached: no connection (ECONNREFUSED).']);
    expect(findingsOf('keys').join()).toMatch(
      /^fail: The API key of server could not be checked: .* no connection to the service/,
    );
    expect(findingsOf('clock')).toEqual(['warn: Clock check skipped: no server returned a Date header.']);
    expect(findingsOf('ledger')[0]).toBe('pass: Every balance is the sum of its entries.');
    expect(findingsOf('outbox')[0]).toMatch(/^fail: 3 effects are pending, the oldest for \d+ days/);
  });

  it('lists the users and deliveries that differ from the entries', async () => {
    const { environment } = await votedFile(
      "UPDATE balances SET credits = 1000 WHERE account_id = '1:2'",
      "DELETE FROM entries WHERE account_id = '1:3'",
    );
    expect((await diagnose(environment)).findingsOf('ledger')).toEqual([
      'fail: 2 balances differ from the sum of the entries: user 2 of community 1 has 1,000 credits and 1 vote, but the entries add up to 10 credits and 1 vote; user 3 of community 1 has 10 credits and 1 vote, but the entries add up to 0 credits and 0 votes.',
      'fail: 1 delivery differs from the entries: delivery 3 paid 10 credits, but its entries add up to 0.',
      'fail: 1 link between entries skips an entry, so histories are incomplete.',
    ]);
  });

  it('names the deliveries that were recorded for another server than the one whose secret signed them', async () => {
    const { findingsOf } = await diagnose((await votedFile()).environment);
    expect(findingsOf('origins')).toEqual(['pass: Every delivery was recorded for the server whose secret signed it.']);
    const foreign = `[{"name":"topgg-1","communityId":9,"guildId":"9","siteId":"topgg","kind":"server","id":"9"}]`;
    const marked = await votedFile(`UPDATE deliveries SET origin = '${foreign}' WHERE id = 3`);
    expect((await diagnose(marked.environment)).findingsOf('origins')).toEqual([
      'fail: 1 delivery was recorded for another server than the one whose secret signed it: 3.',
    ]);
  });

  it('reports buried announcements and quarantined deliveries', async () => {
    const { environment } = await votedFile(
      "UPDATE effects SET state = 'buried', reason = 'There is no channel 7.' WHERE delivery_id = 1",
      "UPDATE deliveries SET outcome = 'quarantined' WHERE id = 2",
    );
    const { findingsOf } = await diagnose(environment);
    expect(findingsOf('outbox').slice(1)).toEqual([
      'warn: 1 announcement, role or message failed permanently. Last reason: There is no channel 7.',
      'warn: 1 delivery is in quarantine.',
    ]);
    expect(findingsOf('listings')[0]).toMatch(
      /^warn: server: secret, not announced, last delivery \d+ days ago .*: none in the last 7 days\.$/,
    );
  });

  it('reports a damaged database', async () => {
    const { environment, path, database } = await votedFile();
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const root = queryValue(database, "SELECT rootpage FROM sqlite_master WHERE name = 'effects_of_delivery'");
    const size = Number(queryValue(database, 'PRAGMA page_size'));
    database.close();
    const bytes = Buffer.alloc(size, 0xff);
    const file = readFileSync(path);
    bytes.copy(file, (Number(root) - 1) * size);
    writeFileSync(path, file);
    expect((await diagnose(environment)).findingsOf('database').join()).toMatch(/fail: The database file is damaged/);
  });

  it('does not change a database of a newer version, another file, or a missing one', async () => {
    const { environment } = await votedFile("INSERT INTO kysely_migration (name, timestamp) VALUES ('999', '2030')");
    const newer = await diagnose(environment);
    expect(newer.findingsOf('database')).toEqual([
      'fail: The database was created by a newer tallyhook: it has the unknown migrations 999.',
    ]);
    expect(newer.findingsOf('keys')[0]).toContain('the database cannot count the requests');
    expect(newer.findingsOf('ledger')).toEqual([]);

    const development = await votedFile("UPDATE kysely_migration SET name = '001-first'");
    const unreleased = await diagnose(development.environment);
    expect(unreleased.findingsOf('database')).toEqual([
      'fail: The database was written by a development version of tallyhook from before 0.1.0, which no release can read.',
    ]);
    expect(unreleased.findingsOf('ledger')).toEqual([]);

    const directory = tempDir();
    writeFileSync(join(directory, 'text.db'), 'This is not a database, however long it is. '.repeat(100));
    const none = await diagnose(settingsWithout(`sqlite:${directory}/text.db`));
    expect(none.findingsOf('database')[0]).toMatch(/^fail: The database cannot be read: file is not a database/);
    const absent = await diagnose(settingsWithout(`sqlite:${directory}/absent.db`));
    expect(absent.findingsOf('database')).toEqual(['warn: There is no database yet.']);
    expect(existsSync(join(directory, 'absent.db'))).toBe(false);
  });

  it('reports a locked database', async () => {
    const { environment, database } = await votedFile();
    database.exec('BEGIN IMMEDIATE');
    const { findingsOf } = await diagnose(environment, { clock: fastClock(20) });
    expect(findingsOf('database')[1]).toMatch(/^fail: The database is not writable.*locked/);
    database.exec('ROLLBACK');
  });

  it('reports files that every user can read', async () => {
    const { environment, path } = await votedFile();
    chmodSync(path, 0o644);
    chmodSync(dirname(path), 0o755);
    expect((await diagnose(environment)).findingsOf('files')).toEqual([
      `warn: Every user of this machine can read ${path}.`,
    ]);
    chmodSync(dirname(path), 0o700);
    expect((await diagnose(environment)).findingsOf('files')[0]).toMatch(/^pass:/);
  });
});

const nowhere = {
  DISCORD_TOKEN: botToken,
  DISCORD_API_URL: 'http://127.0.0.1:1/api',
  LOOKUP_BASE_URL: 'http://127.0.0.1:1/api/v1',
  LOOKUP_SERVER_KEY: 'server-key-for-tests',
};

async function run(environment: Record<string, string>, ...args: string[]) {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const { terminal, output } = captive();
  const code = await runCommandLine(['doctor', ...args], terminal);
  return { code, output: output() };
}

afterEach(() => void vi.unstubAllEnvs());

describe('tallyhook doctor', () => {
  it('exits with 2 and reports all issues of invalid settings', async () => {
    const { code, output } = await run({ PORT: 'x', LOOKUP_BASE_URL: 'ftp://lists.example', DISCORD_TOKEN: '' });
    expect(code).toBe(2);
    for (const name of ['DISCORD_TOKEN', 'LOOKUP_BASE_URL', 'PORT'])
      expect(output).toContain(`✗ configuration  ${name}`);
  });

  it('reports them as JSON', async () => {
    const { code, output } = await run({ PORT: 'x' }, '--json');
    expect(code).toBe(2);
    expect(JSON.parse(output)).toMatchObject({
      pass: false,
      findings: expect.arrayContaining([expect.objectContaining({ check: 'configuration', level: 'fail' })]),
    });
  });

  it('exits with 1 if a check fails, and creates no database', async () => {
    const directory = tempDir();
    const { code, output } = await run({ ...nowhere, DATABASE_URL: `sqlite:${directory}/tally.db` });
    expect(code).toBe(1);
    expect(output).toContain('✗ secrets        No vote secret is configured');
    expect(output).toMatch(/\n\d+ failed, \d+ warnings\.$/);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('stops at once on a signal, without a summary', async () => {
    for (const [name, value] of Object.entries(nowhere)) vi.stubEnv(name, value);
    vi.stubEnv('DATABASE_URL', `sqlite:${tempDir()}/tally.db`);
    const { terminal, output, stop } = captive();
    const exit = runCommandLine(['doctor'], terminal);
    stop();
    expect(await exit).toBe(1);
    expect(output()).toContain('Stopped before all checks were complete.');
  });
});
