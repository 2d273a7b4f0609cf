import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '@tallyhook/platform/clock';
import { type CheckResult, type DoctorCheck, pass, runChecks, warn } from '@tallyhook/platform/doctor/check';
import { evaluateOffset } from '@tallyhook/platform/doctor/clock';
import { checkDisk, evaluateDiskSpace } from '@tallyhook/platform/doctor/disk';
import { exitCodeOf, formatResult, formatSummary, sanitizeResult } from '@tallyhook/platform/doctor/report';
import { day, hour, minute } from '@tallyhook/platform/durations';
import { TallyhookError } from '@tallyhook/platform/errors';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { checkRewards, evaluateBacklog } from '../../../src/cli/doctor/database.ts';
import { checkRejectedRequests, checkRoles, evaluateRoles, rolesByGuild } from '../../../src/cli/doctor/discord.ts';
import { checkRelease } from '../../../src/cli/doctor/installation.ts';
import { evaluateSecrets } from '../../../src/cli/doctor/listings.ts';
import { openSnapshot } from '../../../src/core/store/snapshots/snapshot.ts';
import { fetchBotIdentity } from '../../../src/discord/inspection.ts';
import { createDiscordRest } from '../../../src/discord/rest.ts';
import { openStore } from '../../../src/features/store.ts';
import { botToken } from '../../support/bot-token.ts';
import { createDatabaseWithVotes, voteTime } from '../../support/database-with-votes.ts';
import { diagnose } from '../../support/diagnose.ts';
import { environmentWith, harbour } from '../../support/listings-file.ts';
import { localDiscord } from '../../support/local-discord.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { serve } from '../../support/start-receiver.ts';
import { openLedger } from '../../support/voting.ts';

function secrets(changes: Record<string, string>): string[] {
  const config = loadConfig({
    DISCORD_TOKEN: botToken,
    LOOKUP_BASE_URL: 'https://example.org/api/v1',
    LOOKUP_SERVER_KEY: 'sk_live_0123456789abcdef',
    VOTE_WEBHOOK_SECRET: 'a-long-secret-for-votes',
    PREMIUM_WEBHOOK_SECRET: 'a-long-secret-for-premium',
    ...changes,
  });
  return evaluateSecrets(config).map(({ level, message }) => `${level}: ${message}`);
}

describe('secrets', () => {
  it('pass if they are long and differ between the families', () => {
    expect(secrets({})).toEqual(['pass: The webhook secrets are configured and look valid.']);
  });

  it.each([
    ['no vote secret', { VOTE_WEBHOOK_SECRET: '' }, /^fail: No vote secret is configured/],
    ['no premium secret', { PREMIUM_WEBHOOK_SECRET: '' }, /^warn: No premium secret is configured/],
    [
      'a short secret',
      { VOTE_WEBHOOK_SECRET: 'short' },
      /^warn: The vote secret of server and bot is shorter than 16 characters/,
    ],
    [
      'the second of two',
      { VOTE_WEBHOOK_SECRET: 'a-long-secret-for-votes,short' },
      /^warn: The vote secret number 2 of/,
    ],
    [
      'the API key',
      { VOTE_WEBHOOK_SECRET: 'sk_live_0123456789abcdef' },
      /^fail: The vote secret .* is the API key of server/,
    ],
    [
      'a secret similar to the API key',
      { VOTE_WEBHOOK_SECRET: 'sk_live_fedcba9876543210' },
      /^warn: .* looks like the API key of server/,
    ],
    ['the bot token', { PREMIUM_WEBHOOK_SECRET: botToken }, /^fail: The premium secret .* is the bot token/],
    [
      'the same secret for both',
      { PREMIUM_WEBHOOK_SECRET: 'a-long-secret-for-votes' },
      /^warn: .* is a premium secret as well/,
    ],
    ['a short owner token', { OWNER_TOKEN: 'short' }, /^warn: OWNER_TOKEN has fewer than 16/],
  ])('are reported otherwise: %s', (_name, changes, expected) => {
    const findings = secrets(changes);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatch(expected);
  });
});

describe('the clock', () => {
  it.each([
    [4_000, 'pass'],
    [7_000, 'warn'],
    [6 * minute, 'fail'],
    [-6 * minute, 'fail'],
  ])('with an offset of %d ms: %s', (offset, level) => {
    expect(evaluateOffset('Discord', offset).level).toBe(level);
  });
});

describe('the disk', () => {
  it.each([
    [5e9, 'pass'],
    [5e8, 'warn'],
    [5e7, 'fail'],
  ])('with %d free bytes: %s', (left, level) => {
    expect(evaluateDiskSpace(left).level).toBe(level);
  });

  it('is that of the folder in which the first start creates the folder of the database', async () => {
    const directory = tempDir();
    expect(await checkDisk(`${directory}/data/of/tallyhook.db`)).toEqual(await checkDisk(`${directory}/tallyhook.db`));
  });
});

describe('pending effects', () => {
  const empty = { waiting: 0, waitingSince: null, buried: 0, lastReason: null, quarantined: 0 };
  it.each([
    [minute, 'pass'],
    [20 * minute, 'warn'],
    [25 * 60 * minute, 'fail'],
  ])('for %d ms: %s', (age, level) => {
    const findings = evaluateBacklog({ ...empty, waiting: 2, waitingSince: 0 }, age, null);
    expect(findings.map((finding) => finding.level)).toEqual([level]);
  });

  it('and the quarantine are on pages of the owner console, or it is said how to switch that on', () => {
    const hintOf = (consoleUrl: string | null) =>
      evaluateBacklog({ ...empty, quarantined: 2 }, 0, consoleUrl).at(-1)?.hint;
    expect(hintOf('https://votes.example/owner')).toContain(
      'See https://votes.example/owner/deliveries?outcome=quarantined.',
    );
    expect(hintOf(null)).toContain('Set OWNER_TOKEN');
  });
});

describe('checks', () => {
  async function resultsOf(checks: DoctorCheck<null>[], timeoutMs = 1_000) {
    const results: CheckResult[] = [];
    const onResult = (result: CheckResult) => void results.push(result);
    await runChecks({ checks, kind: 'network' }, null, {
      clock: systemClock,
      timeoutMs,
      onResult,
      onProgress: () => {},
    });
    return results;
  }

  it('run concurrently, and report in order', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const results = await resultsOf([
      { name: 'first', run: () => promise.then(() => [pass('a')]) },
      {
        name: 'second',
        run: async () => {
          resolve();
          return [warn('b'), pass('c')];
        },
      },
    ]);
    expect(results.map(({ check, message }) => `${check} ${message}`)).toEqual(['first a', 'second b', 'second c']);
  });

  it('report a timeout, and an error that they throw', async () => {
    const results = await resultsOf(
      [
        { name: 'endless', run: () => wait(60_000, [], { ref: false }) },
        { name: 'broken', run: () => Promise.reject(new TallyhookError('usage', 'It broke.', { hint: 'Fix it.' })) },
      ],
      20,
    );
    expect(results).toMatchObject([
      { check: 'endless', level: 'fail', message: 'Timeout after 0.02 s.' },
      { check: 'broken', level: 'fail', message: 'The check failed: It broke.', hint: 'Fix it.' },
    ]);
  });
});

describe('the report', () => {
  const results: CheckResult[] = [
    { check: 'keys', ...pass('fine') },
    { check: 'disk', level: 'fail', message: 'full', hint: 'Make room.' },
  ];

  it('has a symbol and a hint for each result, and a summary', () => {
    expect(results.map(formatResult)).toEqual([
      '✓ keys           fine',
      '✗ disk           full\n                 → Make room.',
    ]);
    expect(formatSummary(results)).toBe('1 failed, 0 warnings.');
    expect(formatSummary([{ check: 'x', ...warn('n') }])).toBe('0 failed, 1 warning.');
    expect(formatSummary([])).toBe('All checks passed.');
    expect([exitCodeOf(results), exitCodeOf(results.slice(0, 1)), exitCodeOf([{ check: 'x', ...warn('n') }])]).toEqual([
      1, 0, 0,
    ]);
  });

  it('contains no secrets and no control characters', () => {
    const external = { check: 'keys', ...warn('the name is \u001b[31mhunter2\u001b[0m\n\u202eand more') };
    expect(sanitizeResult(external, ['hunter2']).message).toBe('the name is [31m[secret][0m and more');
  });
});

/** What doctor finds in the rewards of a database after these statements. */
async function findingsAfter(...statements: readonly string[]): Promise<string[]> {
  const path = `${tempDir()}/tally.db`;
  await createDatabaseWithVotes(`sqlite:${path}`, ['1', '2']);
  const database = new DatabaseSync(path);
  for (const statement of statements) database.exec(statement);
  database.close();
  const snapshot = await openSnapshot(`sqlite:${path}`);
  try {
    return (await checkRewards(snapshot, voteTime + day)).map(({ level, message }) => `${level}: ${message}`);
  } finally {
    await snapshot.close();
  }
}

describe('doctor, in the rewards', () => {
  it('finds an achievement that was paid twice', async () => {
    const insert = `INSERT INTO entries (account_id, credits, cause, at, achievement) VALUES ('1:1', 5, 'milestone', 0, 'milestone 1')`;
    expect(await findingsAfter(insert, insert)).toEqual([
      'fail: 1 achievement was paid more than once: user 1 of community 1 "milestone 1" 2 times.',
    ]);
  });

  it('finds roles that Discord rejected, and long outages', async () => {
    const grant = (userId: string, state: string) =>
      `INSERT INTO grants (user_id, role, source, guild_id, state) VALUES ('${userId}', '7', 'voter', '6', '${state}')`;
    const outage = (from: number, ms: number) => `INSERT INTO outages VALUES (${from}, ${from + ms})`;
    const findings = await findingsAfter(
      grant('1', 'parked'),
      grant('2', 'parked'),
      grant('3', 'applied'),
      outage(voteTime, 7 * hour),
      outage(voteTime + 8 * hour, hour),
      outage(voteTime - 60 * day, day),
    );
    expect(findings).toEqual([
      'pass: No achievement was paid twice.',
      expect.stringMatching(/^warn: 2 roles .* 7 \(2 members\)/),
      expect.stringMatching(/^warn: .* 1 time in the last 30 days, the last until 17 hours ago/),
    ]);
  });
});

describe('doctor, in the roles', () => {
  const rolesOf = (guildId: string, role: string) =>
    rolesByGuild(
      loadConfig(environmentWith([{ ...harbour, guildId, rewards: { milestones: [{ votes: 1, role }] } }])).listings,
    );

  it('says of each role why it cannot be given', () => {
    const roles = new Map([
      ['1', 'below'],
      ['2', 'above'],
      ['3', 'managed'],
      ['5', 'below'],
    ] as const);
    const access = { roles, ownerId: '9', positions: new Map(), moderating: new Set(['5']) };
    const names = new Map(['1', '2', '3', '5'].map((id) => [id, `Role ${id}`]));
    const evaluate = (ids: readonly string[], mayManageRoles = true) =>
      evaluateRoles('6', new Set(ids), { ...access, names, guildName: 'Lantern Harbour', mayManageRoles }).map(
        ({ level, message }) => `${level}: ${message}`,
      );
    expect(evaluate(['1'])).toEqual(['pass: The bot can give all configured roles in "Lantern Harbour".']);
    expect(evaluate(['1'], false)).toEqual([expect.stringMatching(/^fail: .*missing Manage Roles/)]);
    expect(evaluate(['1', '2', '3', '4', '5'])).toEqual([
      expect.stringMatching(/^fail: @Role 2 \(2\) is not below/),
      expect.stringMatching(/^fail: @Role 3 \(3\) is managed/),
      expect.stringMatching(/^fail: The role 4 does not exist/),
      expect.stringMatching(/^fail: @Role 5 \(5\) has permissions of a moderator/),
    ]);
  });

  it('reads the roles from Discord', async () => {
    const discord = await localDiscord();
    const rest = createDiscordRest(discord);
    const { userId } = await fetchBotIdentity(rest);
    const findings = await checkRoles(rest, userId, rolesOf(discord.guildId, '404'));
    expect(findings.map(({ message }) => message)).toContainEqual(expect.stringMatching(/role 404 does not exist/));
    const elsewhere = await checkRoles(rest, userId, rolesOf('404', '1'));
    expect(elsewhere).toMatchObject([{ level: 'fail', message: expect.stringContaining('not in the guild 404') }]);
  });
});

it('doctor says how strong the schemes of other sites are, and whether old webhooks are in use', async () => {
  const of = (name: string, site: string) => ({ name, kind: 'bot', site, voteSecrets: ['a-long-secret-for-votes'] });
  const listings = [of('new', 'topgg'), of('old', 'topgg'), of('place', 'discordplace'), of('what', 'capture')];
  const DATABASE_URL = newSqliteUrl();
  const store = await openStore(DATABASE_URL, systemClock, { thread: false });
  for (const [listing, body] of [
    ['new', '{"type":"vote.create","data":{}}'],
    ['old', '{"bot":"1","user":"2","type":"upvote"}'],
  ] as const) {
    const delivery = { receivedAt: Date.now(), family: 'vote', body } as const;
    await store.recorder.record(delivery, { type: 'ignored', kind: 'other', listing });
  }
  await store.close();
  const { findingsOf } = await diagnose({ ...environmentWith(listings), DATABASE_URL, TALLYHOOK_ROLES: 'receive' });
  expect(findingsOf('sites')).toEqual([
    'pass: Votes of new and old on top.gg are signed.',
    'warn: Votes of place on discord.place carry a token: whoever sees one request can forge votes.',
    'warn: Whatever is sent to the address of what is stored, and pays nothing.',
  ]);
  expect(findingsOf('listings')).toEqual([
    expect.stringMatching(/^pass: new on top\.gg: secret, not announced, last delivery just now/),
    expect.stringMatching(/^pass: old on top\.gg: secret, not announced, last delivery just now/),
    'warn: place on discord.place: secret, not announced, no delivery yet.',
    'warn: what on capture: secret, not announced, no delivery yet.',
  ]);
  expect(findingsOf('deliveries')).toEqual([expect.stringMatching(/^warn: The last delivery for old is of version 0/)]);
  expect(findingsOf('secrets')).toEqual(['pass: The webhook secrets are configured and look valid.']);
});

it('doctor names the channels and roles that Discord rejects, and the servers that are paused', async () => {
  const clock = manualClock();
  const now = clock.now();
  const store = await openLedger(newSqliteUrl(), clock);
  expect((await checkRejectedRequests(store, now)).map(({ level }) => level)).toEqual(['pass']);
  const circuit = { guildId: '4', code: 50_013, openedAt: now, probeAt: now };
  const circuits = Array.from({ length: 12 }, (_, index) => {
    return { ...circuit, target: `role 4 ${index}`, reason: `Role ${index} is not below the role of the bot.` };
  });
  await store.circuits.save(circuits, []);
  await store.circuits.addRejections(Math.floor(now / minute), [
    { guildId: '4', count: 499 },
    { guildId: '5', count: 500 },
  ]);
  const findings = await checkRejectedRequests(store, now);
  expect(findings.map(({ level }) => level)).toEqual(['pass', ...Array(12).fill('warn')]);
  const [, paused, first, ...others] = findings.map(({ message }) => message);
  expect(paused).toBe('Server 5 is paused: Discord rejected 500 requests of it in the last ten minutes.');
  expect(first).toContain('in server 4 since 2026-01-01T00:00:00.000Z: Role 0 is not below');
  expect(others.at(-1)).toBe('Discord rejects 2 other channels or roles, too.');
});

async function findingsFor(body: string, version: string, status = 200) {
  const url = await serve((_, response) => void response.writeHead(status).end(body));
  return checkRelease(url, version, 5_000);
}

const release = (tag: string) => JSON.stringify({ tag_name: tag, html_url: 'https://example.com/releases/1' });

describe('the check of the version', () => {
  it('warns of a newer version, and says where its changes are', async () => {
    for (const [own, latest] of [
      ['0.1.0', 'v0.1.1'],
      ['0.9.0', 'v0.10.0'],
      ['1.9.9', '2.0.0'],
    ] as const) {
      const [finding] = await findingsFor(release(latest), own);
      expect(finding).toMatchObject({ level: 'warn', message: expect.stringContaining(latest.replace('v', '')) });
      expect(finding?.hint).toContain('https://example.com/releases/1');
    }
  });

  it.each([
    ['0.1.0', 'v0.1.0'],
    ['0.2.0', 'v0.1.9'],
    ['1.0.0', 'v0.99.99'],
  ])('passes for %s when the latest release is %s', async (own, latest) => {
    expect(await findingsFor(release(latest), own)).toEqual([
      { level: 'pass', message: 'This version is the latest.', hint: null },
    ]);
  });

  it.each([
    ['{"message":"rate limit"}', 403],
    ['<html>', 200],
    [release('nightly'), 200],
    ['{"tag_name":7}', 200],
  ])('needs no attention for the response %s with status %d', async (body, status) => {
    const [finding] = await findingsFor(body, '0.1.0', status);
    expect(finding).toMatchObject({ level: 'pass', message: expect.stringContaining('not known') });
  });

  it('needs no attention without a network, and asks nobody when it is off', async () => {
    expect(await checkRelease('http://127.0.0.1:9/', '0.1.0', 5_000)).toMatchObject([{ level: 'pass' }]);
    expect(await checkRelease(null, '0.1.0', 5_000)).toEqual([]);
  });
});
