import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ZodError } from 'zod';
import { loadConfig } from '../../../config/load.ts';
import { checkAddress } from '../../../src/cli/doctor/address.ts';
import { evaluateOffset } from '../../../src/cli/doctor/clock.ts';
import { evaluateDiscordError } from '../../../src/cli/doctor/discord.ts';
import { evaluateDiskSpace } from '../../../src/cli/doctor/disk.ts';
import { pass, warn } from '../../../src/cli/doctor/finding.ts';
import { evaluateBacklog } from '../../../src/cli/doctor/outbox.ts';
import { exitCodeOf, jsonOf, lineOf, overallStatusOf, tidied } from '../../../src/cli/doctor/report.ts';
import { type CheckResult, runChecks } from '../../../src/cli/doctor/run-checks.ts';
import { evaluateSecrets } from '../../../src/cli/doctor/secrets.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { TallyhookError } from '../../../src/platform/errors.ts';
import { serve } from '../../support/start-receiver.ts';

const minute = 60_000;

function secrets(changes: Record<string, string>): string[] {
  const config = loadConfig({
    DISCORD_TOKEN: 'discord-token-for-tests',
    LOOKUP_BASE_URL: 'https://example.org/api/v1',
    LOOKUP_SERVER_KEY: 'sk_live_0123456789abcdef',
    VOTE_WEBHOOK_SECRET: 'a-long-secret-for-votes',
    PREMIUM_WEBHOOK_SECRET: 'a-long-secret-for-premium',
    ...changes,
  });
  return evaluateSecrets(config).map(({ level, message: found }) => `${level}: ${found}`);
}

describe('secrets', () => {
  it('are well when they are long, and one for each family', () => {
    expect(secrets({})).toEqual(['well: The webhook secrets are there and look right.']);
  });

  it.each([
    ['none for votes', { VOTE_WEBHOOK_SECRET: '' }, /^fault: No vote secret is configured/],
    ['none for premium', { PREMIUM_WEBHOOK_SECRET: '' }, /^note: No premium secret is configured/],
    [
      'a short one',
      { VOTE_WEBHOOK_SECRET: 'short' },
      /^note: The vote secret of server and bot is shorter than 16 characters/,
    ],
    [
      'the second of two',
      { VOTE_WEBHOOK_SECRET: 'a-long-secret-for-votes,short' },
      /^note: The vote secret number 2 of/,
    ],
    [
      'the API key',
      { VOTE_WEBHOOK_SECRET: 'sk_live_0123456789abcdef' },
      /^fault: The vote secret .* is the API key of server/,
    ],
    [
      'one like the API key',
      { VOTE_WEBHOOK_SECRET: 'sk_live_fedcba9876543210' },
      /^note: .* looks like the API key of server/,
    ],
    [
      'the bot token',
      { PREMIUM_WEBHOOK_SECRET: 'discord-token-for-tests' },
      /^fault: The premium secret .* is the bot token/,
    ],
    ['an address', { VOTE_WEBHOOK_SECRET: 'https://votes.example.org' }, /^fault: .* is an address/],
    ['quotation marks', { VOTE_WEBHOOK_SECRET: '"a-long-secret-for-votes"' }, /^note: .* quotation marks/],
    ['the same for both', { PREMIUM_WEBHOOK_SECRET: 'a-long-secret-for-votes' }, /^note: .* is a premium secret too/],
    ['a short owner token', { OWNER_TOKEN: 'short' }, /^note: OWNER_TOKEN has fewer than 16/],
  ])('that are not: %s', (_name, changes, expected) => {
    const said = secrets(changes);
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(expected);
  });

  it('with white space are told, as the file of the listings may have them', () => {
    const config = loadConfig({
      DISCORD_TOKEN: 't',
      LOOKUP_BASE_URL: 'https://example.org/api/v1',
      LOOKUP_BOT_KEY: 'k',
    });
    const [listing] = config.listings;
    if (listing === undefined) throw new Error('no listing');
    const spaced = {
      ...config,
      listings: [{ ...listing, voteSecrets: [' a-long-secret-for-votes'], premiumSecrets: ['p'.repeat(20)] }],
    };
    expect(evaluateSecrets(spaced)).toMatchObject([{ level: 'fail', found: expect.stringContaining('white space') }]);
  });
});

describe('the clock', () => {
  it.each([
    [20_000, 'well'],
    [-29_000, 'well'],
    [40_000, 'note'],
    [-4 * minute, 'note'],
    [6 * minute, 'fault'],
    [-6 * minute, 'fault'],
  ])('that is %d ms off is a %s', (offset, level) => {
    expect(evaluateOffset('Discord', offset).level).toBe(level);
  });
});

describe('Discord', () => {
  it('is not what answers in a shape that it never has', () => {
    expect(evaluateDiscordError(new ZodError([]))).toMatchObject({
      found: expect.stringContaining('the response is not from Discord'),
      cure: expect.stringContaining('DISCORD_API_URL'),
    });
  });
});

describe('the disk', () => {
  it.each([
    [5e9, 'well'],
    [5e8, 'note'],
    [5e7, 'fault'],
  ])('with %d bytes left is a %s', (left, level) => {
    expect(evaluateDiskSpace(left).level).toBe(level);
  });
});

describe('what waits', () => {
  const empty = { waiting: 0, waitingSince: null, buried: 0, lastReason: null, quarantined: 0 };
  it.each([
    [minute, 'well'],
    [20 * minute, 'note'],
    [25 * 60 * minute, 'fault'],
  ])('for %d ms is a %s', (age, level) => {
    expect(evaluateBacklog({ ...empty, waiting: 2, waitingSince: 0 }, age).map((finding) => finding.level)).toEqual([
      level,
    ]);
  });
});

describe('the address', () => {
  const http = { host: '127.0.0.1', port: 1 };
  const found = async (url: string) =>
    (await checkAddress(url, http)).map(({ level, message: text }) => `${level}: ${text}`);

  it('that redirects loses deliveries', async () => {
    const url = await serve((request, response) =>
      response.writeHead(301, { location: `https://${request.headers.host}${request.url}` }).end(),
    );
    const [finding] = await checkAddress(url, http);
    expect(finding).toMatchObject({
      level: 'fail',
      found: expect.stringContaining('redirects deliveries to https://'),
    });
    expect(finding?.hint).toContain('Give the service the https address');
  });

  it.each([
    [200, '{"received":true}', /^fault: .* answers an unsigned delivery with 200/],
    [401, 'Authorization required', /^fault: .* answers 401, and not as tallyhook does/],
    [404, '{"success":false,"error":"no"}', /^fault: .* answers 404/],
    [502, 'Bad Gateway', /^fault: The proxy .* answers 502/],
  ])('that answers %d is not ours', async (status, body, expected) => {
    const url = await serve((_request, response) => response.writeHead(status).end(body));
    expect((await found(url))[0]).toMatch(expected);
  });

  it('where nobody answers is a fault for the service, and only a note for this machine', async () => {
    expect((await found('http://127.0.0.1:1'))[0]).toMatch(/^fault: http:\/\/127.0.0.1:1 does not answer/);
    expect((await checkAddress(null, http))[0]).toMatchObject({ level: 'warn' });
  });
});

describe('an examination', () => {
  async function toldBy(checks: Parameters<typeof runChecks>[0], patience = 1_000) {
    const told: CheckResult[] = [];
    await runChecks(checks, { clock: systemClock, patience, tell: (each) => void told.push(each), progress: () => {} });
    return told;
  }

  it('runs its checks at once and tells them in their order', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const told = await toldBy([
      { name: 'first', run: () => promise.then(() => [pass('a')]) },
      {
        name: 'second',
        run: async () => {
          resolve();
          return [warn('b'), pass('c')];
        },
      },
    ]);
    expect(told.map(({ check, message: found }) => `${check} ${found}`)).toEqual(['first a', 'second b', 'second c']);
  });

  it('ends a check that does not end by itself, and tells one that breaks', async () => {
    const told = await toldBy(
      [
        { name: 'endless', run: () => wait(60_000, [], { ref: false }) },
        { name: 'broken', run: () => Promise.reject(new TallyhookError('usage', 'It broke.', { hint: 'Mend it.' })) },
      ],
      20,
    );
    expect(told).toMatchObject([
      { check: 'endless', level: 'fail', found: expect.stringContaining('no answer within') },
      { check: 'broken', level: 'fail', found: 'It could not be checked: It broke.', cure: 'Mend it.' },
    ]);
  });
});

describe('the report', () => {
  const told: CheckResult[] = [
    { check: 'keys', ...pass('fine') },
    { check: 'disk', level: 'fail', message: 'full', hint: 'Make room.' },
  ];

  it('has a mark for each, the cure below, and a last line', () => {
    expect(told.map(lineOf)).toEqual(['✓ keys           fine', '✗ disk           full\n                 → Make room.']);
    expect(overallStatusOf(told)).toBe('1 fault, 0 notes.');
    expect(overallStatusOf([])).toBe('All is well.');
    expect([exitCodeOf(told), exitCodeOf(told.slice(0, 1)), exitCodeOf([{ check: 'x', ...warn('n') }])]).toEqual([
      1, 0, 0,
    ]);
  });

  it('is one JSON object for machines', () => {
    expect(JSON.parse(jsonOf(told))).toEqual({ well: false, findings: told });
  });

  it('has no secret in it and nothing that steers a terminal', () => {
    const foreign = { check: 'keys', ...warn('the name is \u001b[31mhunter2\u001b[0m\n\u202eand more') };
    expect(tidied(foreign, ['hunter2']).message).toBe('the name is [31m[secret][0m and more');
  });
});
