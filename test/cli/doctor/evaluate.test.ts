import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '@tallyhook/platform/clock';
import { type CheckResult, type DoctorCheck, pass, runChecks, warn } from '@tallyhook/platform/doctor/check';
import { evaluateOffset } from '@tallyhook/platform/doctor/clock';
import { checkDisk, evaluateDiskSpace } from '@tallyhook/platform/doctor/disk';
import { exitCodeOf, formatJson, formatResult, formatSummary, sanitizeResult } from '@tallyhook/platform/doctor/report';
import { TallyhookError } from '@tallyhook/platform/errors';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it } from 'vitest';
import { ZodError } from 'zod';
import { loadConfig } from '../../../config/load.ts';
import { evaluateBacklog } from '../../../src/cli/doctor/database.ts';
import { evaluateDiscordError } from '../../../src/cli/doctor/discord.ts';
import { evaluateSecrets } from '../../../src/cli/doctor/listings.ts';
import { botToken } from '../../support/bot-token.ts';

const minute = 60_000;

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
    [-4_000, 'pass'],
    [7_000, 'warn'],
    [-20_000, 'warn'],
    [-4 * minute, 'warn'],
    [6 * minute, 'fail'],
    [-6 * minute, 'fail'],
  ])('with an offset of %d ms: %s', (offset, level) => {
    expect(evaluateOffset('Discord', offset).level).toBe(level);
  });

  it('is off by days in words', () => {
    const { message } = evaluateOffset('Discord', -3 * 24 * 60 * minute);
    expect(message).toMatch(/^The clock is 3 days behind Discord\. New votes .* quarantined/);
  });
});

describe('Discord', () => {
  it('is not assumed for a response with an unexpected shape', () => {
    expect(evaluateDiscordError(new ZodError([]))).toMatchObject({
      message: expect.stringContaining('the response is not from Discord'),
      hint: expect.stringContaining('DISCORD_API_URL'),
    });
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

  it('can be printed as JSON', () => {
    expect(JSON.parse(formatJson(results))).toEqual({ pass: false, findings: results });
  });

  it('contains no secrets and no control characters', () => {
    const external = { check: 'keys', ...warn('the name is \u001b[31mhunter2\u001b[0m\n\u202eand more') };
    expect(sanitizeResult(external, ['hunter2']).message).toBe('the name is [31m[secret][0m and more');
  });
});
