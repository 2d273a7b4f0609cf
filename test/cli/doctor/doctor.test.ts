import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDiscordRest } from '../../../src/discord/rest.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { fastClock } from '../../discord/bot.ts';
import { journey } from '../../support/journey.ts';
import { voteSecret } from '../../support/listings.ts';
import { singleValue } from '../../support/single-value.ts';
import { serve } from '../../support/start-receiver.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { voted } from '../../support/voted.ts';
import { examined } from './examined.ts';

const vote = (userId: string) => ({ event: 'server_vote', userId, timestamp: new Date().toISOString() });

/** Settings whose Discord and service are not there, for looking at what is stored. */
function alone(databaseUrl: string): Record<string, string> {
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
  const path = join(tempDir(), 'tally.db');
  await voted(`sqlite:${path}`, ['1', '2', '3']);
  const database = new DatabaseSync(path);
  for (const statement of statements) database.exec(statement);
  return { path, database, environment: alone(`sqlite:${path}`) };
}

describe('the doctor, beside a running installation', { timeout: 30_000 }, () => {
  it('finds no fault in one that is well, and tells no secret', async () => {
    const { environment, url, post, lines } = await journey();
    await vi.waitFor(() => expect(lines.join()).toContain('slash commands registered'), 5_000);
    await post('/webhooks/vote', vote('1'));
    const { told, said, text } = await examined(environment, { url: `${url}/webhooks/vote` });
    expect(told.filter(({ level }) => level === 'fail')).toEqual([]);
    for (const check of [
      'configuration',
      'secrets',
      'clock',
      'discord',
      'channels',
      'commands',
      'keys',
      'ledger',
      'disk',
    ])
      expect(said(check).filter((line) => !line.startsWith('well:'))).toEqual([]);
    expect(said('keys').join()).toContain('the server "Lantern Harbour"');
    expect(said('deliveries')[0]).toContain('The last delivery for server came less than a minute ago');
    expect(said('address')[0]).toBe(`well: ${url} is reached, and refuses what is not signed.`);
    for (const secret of ['DISCORD_TOKEN', 'LOOKUP_SERVER_KEY', 'LOOKUP_BOT_KEY', 'VOTE_WEBHOOK_SECRET', 'OWNER_TOKEN'])
      expect(text).not.toContain(environment[secret]);
  });

  it('finds the receiver on this machine when it gets no address', async () => {
    const { environment, url } = await journey();
    const { said } = await examined({ ...environment, PORT: new URL(url).port });
    expect(said('address')).toEqual([
      `well: ${url} is reached, and refuses what is not signed.`,
      'note: The public address was not checked.',
    ]);
  });

  it('tells a token that Discord does not accept, and then asks it for nothing else', async () => {
    const { environment } = await journey();
    const { said } = await examined({ ...environment, DISCORD_TOKEN: 'somebody-elses' });
    expect(said('discord')).toEqual(['fault: Discord does not accept the bot token (401).']);
    expect(said('channels')).toEqual(['note: Not looked at: Discord could not be asked.']);
    expect(said('commands')).toEqual(['note: Not looked at: Discord could not be asked.']);
  });

  it('tells a channel that is gone, one that is hidden, one that may not be written in, and a guild without the bot', async () => {
    const { environment, discord } = await journey();
    const { announcements, premium, general } = discord.channels;
    discord.faults.deleteChannel(premium);
    discord.faults.losePermission(announcements, 'embedLinks');
    discord.faults.losePermission(announcements, 'readMessageHistory');
    const first = await examined({ ...environment, DISCORD_GUILD_ID: '42' });
    expect(first.said('channels')).toEqual([
      `fault: The bot lacks Embed Links in #votes (${announcements}) of "Lantern Harbour".`,
      `fault: There is no channel ${premium} (10003).`,
    ]);
    expect(first.said('discord')[1]).toBe('fault: The bot is not in the guild 42 that DISCORD_GUILD_ID names.');
    discord.faults.regainPermission(announcements, 'embedLinks');
    discord.faults.losePermission(general, 'viewChannel');
    const second = await examined({ ...environment, PREMIUM_CHANNEL_ID: general });
    expect(second.said('channels')).toEqual([
      `well: The bot may announce in #votes (${announcements}) of "Lantern Harbour".`,
      'note: The bot lacks Read Message History in #votes: announcing works without.',
      `fault: The bot cannot see channel ${general} (50001).`,
    ]);
  });

  it('tells commands that are not registered where they should be', async () => {
    const { environment } = await journey();
    const { DISCORD_GUILD_ID: _everywhere, ...rest } = environment;
    expect((await examined(rest)).said('commands')).toEqual([
      'fault: The slash commands are not registered everywhere, or not as this version offers them.',
    ]);
  });

  it('recognises commands without their ids, and tells one of another program that has a name of ours', async () => {
    const { environment, discord, lines } = await journey();
    await vi.waitFor(() => expect(lines.join()).toContain('slash commands registered'), 5_000);
    const elsewhere = { ...environment, DATABASE_URL: `sqlite:${join(tempDir(), 'none.db')}` };
    expect((await examined(elsewhere)).said('commands')).toEqual([
      `well: The slash commands are registered on guild ${discord.guildId}.`,
    ]);
    const rest = createDiscordRest(discord);
    const route = `/applications/${discord.applicationId}/guilds/${discord.guildId}/commands` as const;
    const id = discord.commands().find(({ name }) => name === 'stats')?.id;
    await rest.delete(`${route}/${id}`);
    await rest.post(route, { name: 'stats', description: 'Statistics of the game.' });
    const theirs = discord.commands().find(({ name }) => name === 'stats')?.id;
    expect((await examined(environment)).said('commands')).toEqual([
      `well: The slash commands are registered on guild ${discord.guildId}.`,
      `note: /stats (${theirs}) of another program is in the place of ours.`,
    ]);
  });

  it('tells keys that are swapped, and one that is not valid', async () => {
    const { environment } = await journey();
    const { LOOKUP_SERVER_KEY = '', LOOKUP_BOT_KEY = '' } = environment;
    const swapped = await examined({
      ...environment,
      LOOKUP_SERVER_KEY: LOOKUP_BOT_KEY,
      LOOKUP_BOT_KEY: LOOKUP_SERVER_KEY,
    });
    expect(swapped.said('keys')).toEqual([
      'fault: The key of server is valid, but it is not the key of a server (400).',
      'fault: The key of bot is valid, but it is not the key of a bot (400).',
    ]);
    const invalid = await examined({ ...environment, LOOKUP_SERVER_KEY: 'nobodys' });
    expect(invalid.said('keys')[0]).toBe('fault: The service does not accept the key of server (401).');
  });

  it('tells 403 apart, and keeps to the budget that the program counts in', async () => {
    const { environment } = await journey();
    let asked = 0;
    const forbidding = await serve((_request, response) => {
      asked += 1;
      response.writeHead(403).end('<h1>Access denied</h1>');
    });
    const changed = { ...environment, LOOKUP_BASE_URL: `${forbidding}/api/v1` };
    expect((await examined(changed)).said('keys')[0]).toBe(
      'fault: The service forbids the request with the key of server (403).',
    );
    const database = new DatabaseSync(environment['DATABASE_URL']?.slice('sqlite:'.length) ?? '');
    database.exec(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
       INSERT INTO lookup_requests SELECT DISTINCT lookup_requests.key_id, ${Date.now()} - i FROM lookup_requests, n`,
    );
    database.close();
    asked = 0;
    expect((await examined(changed)).said('keys')[0]).toMatch(/^note: The key of server was not tried: No request/);
    // The comparison of clocks sends no key, so it does not count.
    expect(asked).toBe(1);
  });

  it('tells a clock that is wrong', async () => {
    const { environment } = await journey();
    const off = (ms: number) => ({ clock: { ...systemClock, now: () => Date.now() + ms } });
    const behind = await examined(environment, off(-10 * 60_000));
    expect(behind.said('clock')[0]).toMatch(/^fault: The clock is 10 min behind Discord\. New votes .* quarantined/);
    expect(behind.said('clock')).toHaveLength(2);
  });

  it('ends in time when Discord and the service hang, and says meanwhile what it waits for', async () => {
    const { environment, discord } = await journey();
    const hanging = createServer();
    await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void hanging.close());
    const address = hanging.address();
    const port = typeof address === 'object' ? address?.port : 0;
    discord.faults.slow(60_000);
    const quick = { ...systemClock, sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms / 20, signal) };
    const began = Date.now();
    const { said, progress } = await examined(
      { ...environment, LOOKUP_BASE_URL: `http://127.0.0.1:${port}/api/v1` },
      { clock: quick },
    );
    expect(Date.now() - began).toBeLessThan(5_000);
    expect(said('discord')).toEqual(['fault: There was no answer within 12 s.']);
    expect(said('keys')[0]).toContain('no response in time');
    expect(progress.join()).toMatch(/^Waiting for: .*discord/);
    expect(said('ledger').every((line) => line.startsWith('well:'))).toBe(true);
  });
});

describe('the doctor, where the outside is not there', { timeout: 30_000 }, () => {
  it('says so at once, and looks at the database all the same', async () => {
    const { environment } = await votedFile();
    const { said } = await examined(environment);
    expect(said('discord')).toEqual(['fault: Discord cannot be reached: no connection (ECONNREFUSED).']);
    expect(said('keys').join()).toMatch(
      /^fault: The key of server could not be tried: .* no connection to the service/,
    );
    expect(said('clock')).toEqual(['note: The clock could not be compared: nobody told the time.']);
    expect(said('ledger')[0]).toBe('well: Every balance is the sum of its entries, of credits and of votes.');
    expect(said('outbox')[0]).toMatch(/^fault: 3 announcements are waiting, the oldest for \d+ days/);
  });

  it('names whose balance does not add up, and which delivery', async () => {
    const { environment } = await votedFile(
      "UPDATE balances SET credits = 1000 WHERE user_id = '2'",
      "DELETE FROM entries WHERE user_id = '3'",
    );
    expect((await examined(environment)).said('ledger')).toEqual([
      'fault: The balances of 2 users are not the sum of the entries: 2 has 1000 credits and 1 votes, the entries say 10 and 1; 3 has 10 credits and 1 votes, the entries say 0 and 0.',
      'fault: 1 delivery differs from the entries: delivery 3 paid 10, the entries say 0.',
      'fault: 1 link between entries leads past one, so that a history is shown with gaps.',
    ]);
  });

  it('tells what was buried and what was not understood', async () => {
    const { environment } = await votedFile(
      "UPDATE effects SET state = 'buried', reason = 'There is no channel 7.' WHERE delivery_id = 1",
      "UPDATE deliveries SET outcome = 'quarantined' WHERE id = 2",
    );
    const { said } = await examined(environment);
    expect(said('outbox').slice(1)).toEqual([
      'note: 1 announcement is beyond hope. The last reason: There is no channel 7.',
      'note: 1 delivery is not understood, and kept.',
    ]);
    expect(said('deliveries')[0]).toMatch(
      /^note: The last delivery for server came \d+ days ago .*: none in 7 days\.$/,
    );
  });

  it('tells a database that is damaged', async () => {
    const { environment, path, database } = await votedFile();
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const root = singleValue(database, "SELECT rootpage FROM sqlite_master WHERE name = 'effects_of_delivery'");
    const size = Number(singleValue(database, 'PRAGMA page_size'));
    database.close();
    const bytes = Buffer.alloc(size, 0xff);
    const file = readFileSync(path);
    bytes.copy(file, (Number(root) - 1) * size);
    writeFileSync(path, file);
    expect((await examined(environment)).said('database').join()).toMatch(/fault: The file of the database is damaged/);
  });

  it('does not touch a database of a newer version, one that is none, or one that is not there', async () => {
    const { environment } = await votedFile("INSERT INTO kysely_migration (name, timestamp) VALUES ('999', '2030')");
    const newer = await examined(environment);
    expect(newer.said('database')).toEqual(['fault: The database was written by a newer tallyhook: it has 999.']);
    expect(newer.said('keys')[0]).toContain('the database cannot count the requests');
    expect(newer.said('ledger')).toEqual([]);

    const directory = tempDir();
    writeFileSync(join(directory, 'text.db'), 'This is not a database, however long it is. '.repeat(100));
    const none = await examined(alone(`sqlite:${directory}/text.db`));
    expect(none.said('database')[0]).toMatch(/^fault: The database cannot be read: file is not a database/);
    const absent = await examined(alone(`sqlite:${directory}/absent.db`));
    expect(absent.said('database')).toEqual(['note: There is no database yet.']);
    expect(existsSync(join(directory, 'absent.db'))).toBe(false);
  });

  it('tells a database that somebody holds locked', async () => {
    const { environment, database } = await votedFile();
    database.exec('BEGIN IMMEDIATE');
    const { said } = await examined(environment, { clock: fastClock(20) });
    expect(said('database')[1]).toMatch(/^fault: The database cannot be written.*locked/);
    database.exec('ROLLBACK');
  });

  it('tells files that everybody may read', async () => {
    const { environment, path } = await votedFile();
    chmodSync(path, 0o644);
    chmodSync(dirname(path), 0o755);
    expect((await examined(environment)).said('files')).toEqual([
      `note: Every user of this machine can read: ${path}.`,
    ]);
    chmodSync(dirname(path), 0o700);
    expect((await examined(environment)).said('files')[0]).toMatch(/^well:/);
  });
});
