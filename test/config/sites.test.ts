import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hour, minute } from '@tallyhook/platform/durations';
import { InvalidConfigError } from '@tallyhook/platform/invalid-config-error';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { botToken } from '../support/bot-token.ts';

const directory = mkdtempSync(join(tmpdir(), 'sites-'));
afterAll(() => rmSync(directory, { recursive: true }));

const topgg = {
  ...{ name: 'quartermaster-topgg', kind: 'bot', id: '716390085896962058', site: 'topgg' },
  voteSecrets: ['whs_secret'],
};
const custom = { name: 'My list', page: 'https://list.example/{id}', header: 'X-Token', user: 'user.id' };

function load(listings: readonly object[], variables: Record<string, string> = {}) {
  const path = join(directory, 'listings.json');
  writeFileSync(path, JSON.stringify({ listings }));
  return loadConfig({ DISCORD_TOKEN: botToken, TALLYHOOK_CONFIG: path, ...variables });
}

function issuesOf(listings: readonly object[], variables?: Record<string, string>): string[] {
  try {
    load(listings, variables);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidConfigError)) throw error;
    return error.issues.map(({ setting, problem, hint }) => `${setting} ${problem} ${hint}`);
  }
}

describe('a configuration with listings on other sites alone', () => {
  it('needs neither a lookup key nor LOOKUP_BASE_URL, nor do listings of the service without a key', () => {
    expect(issuesOf([topgg])).toEqual([]);
    expect(issuesOf([topgg, { name: 'seed', kind: 'bot', voteSecrets: ['secret'] }])).toEqual([]);
    expect(issuesOf([topgg, { name: 'seed', kind: 'bot', lookupKey: 'key' }])).toEqual([
      expect.stringMatching(/^LOOKUP_BASE_URL is missing/),
    ]);
  });

  it('has the cooldown of each site, unless the listing states one', () => {
    const { listings } = load(
      [
        topgg,
        { ...topgg, name: 'place', site: 'discordplace' },
        { ...topgg, name: 'short', cooldownHours: 2 },
        { name: 'default', kind: 'server', voteSecrets: ['secret'] },
      ],
      { VOTE_COOLDOWN_HOURS: '20', LOOKUP_BASE_URL: 'https://service.example/api/v1' },
    );
    const hours = listings.map(({ rewards }) => rewards.base.cooldownMs / hour);
    expect(hours).toEqual([12, 24, 2, 20]);
    expect(listings.map(({ rewards }) => rewards.base.site)).toEqual([
      { retryHorizonMs: 35 * minute },
      { retryHorizonMs: minute },
      { retryHorizonMs: 35 * minute },
      undefined,
    ]);
  });

  it('has what the listing states of its site, with the key as a secret', () => {
    const stated = {
      ...topgg,
      ...{ siteKey: 'site-api-token', slug: 'quartermaster', confirm: true, rewards: { weight: true } },
    };
    const { listings, secrets, siteApiUrl } = load([stated], { SITE_API_URL: 'http://127.0.0.1:9' });
    expect(listings[0]?.site).toEqual({ id: 'topgg', key: 'site-api-token', slug: 'quartermaster', confirm: true });
    expect(listings[0]?.rewards.weight).toBe(true);
    expect(secrets).toContain('site-api-token');
    expect(siteApiUrl).toBe('http://127.0.0.1:9');
  });

  it('describes a site that tallyhook does not know', () => {
    const listing = {
      ...topgg,
      site: 'custom',
      custom: { ...custom, test: { field: 'type', is: 'test' }, target: 'bot' },
    };
    expect(load([listing]).listings[0]?.site).toMatchObject({
      id: 'custom',
      custom: { name: 'My list', user: 'user.id' },
    });
  });
});

describe('an invalid site', () => {
  it('is reported with those that are known', () => {
    expect(issuesOf([{ ...topgg, site: 'top.gg' }]).join()).toMatch(
      /listings\.0\.site .*service, topgg, discordbotlist.*, custom/,
    );
  });

  it('is one without a secret, except where none is needed', () => {
    expect(issuesOf([{ ...topgg, voteSecrets: [] }])).toEqual([
      'TALLYHOOK_CONFIG listings.0.voteSecrets is missing: every delivery would be rejected. Add the secret of the webhook at top.gg.',
    ]);
    expect(issuesOf([{ name: 'unknown', kind: 'bot', site: 'capture' }])).toEqual([]);
    expect(issuesOf([{ ...topgg, voteSecrets: [''] }])).toHaveLength(1);
  });

  it('is one that is described without being custom, and the other way round', () => {
    expect(issuesOf([{ ...topgg, site: 'custom' }]).join()).toContain('custom is missing');
    expect(issuesOf([{ ...topgg, custom }]).join()).toContain('custom needs the site "custom"');
    for (const wrong of [
      { user: '' },
      { user: 'a..b' },
      { header: 'a b' },
      { page: 'http://x.example' },
      { name: '' },
      { x: 1 },
    ])
      expect(
        issuesOf([{ ...topgg, site: 'custom', custom: { ...custom, ...wrong } }]),
        JSON.stringify(wrong),
      ).toHaveLength(1);
  });

  it.each([
    [{ signed: '{timestamp}.{body}' }, 'timestamp is missing: signed contains {timestamp}'],
    [{ timestamp: { header: 'X-Time', unit: 's' } }, 'signed is missing: it must contain {timestamp}'],
    [{ signed: '{body}{secret}' }, 'signed is invalid: it knows {body} and {timestamp} alone'],
    [
      { signed: '{timestamp}{body}', timestamp: { header: 'x-signature', unit: 's' } },
      'timestamp.header is invalid: it must be another header',
    ],
    [{ scheme: 'standard-webhooks' }, 'custom.signature'],
  ])('is one whose signature contradicts itself: %j', (changes, problem) => {
    const signature = { scheme: 'hmac-sha256', header: 'X-Signature', ...changes };
    const { header: _, ...described } = custom;
    const issues = issuesOf([{ ...topgg, site: 'custom', custom: { ...described, signature } }]);
    expect(issues).toHaveLength(1);
    expect(issues[0]).toContain(problem);
  });

  it('is one with a secret in a header and a signature, or with a secret that is no key of Standard Webhooks', () => {
    const { header: _, ...described } = custom;
    const withSignature = (signature: object, voteSecrets: string[], others = {}) =>
      issuesOf([{ ...topgg, voteSecrets, site: 'custom', custom: { ...described, ...others, signature } }]).join();
    const standard = { scheme: 'standard-webhooks' };
    expect(withSignature(standard, ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])).toBe('');
    expect(withSignature(standard, ['not a key'])).toMatch(/voteSecrets has a secret of another form.*whsec_/);
    expect(withSignature(standard, ['not a key'])).not.toContain('not a key');
    expect(withSignature(standard, ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'], { header: 'X-Token' })).toContain(
      'signature has a header of its own',
    );
  });

  it('is one with what belongs to the default site, and the other way round', () => {
    const { site: _, ...plain } = topgg;
    expect(issuesOf([{ ...topgg, lookupKey: 'key', premiumSecrets: ['x'], voteAuthorization: 'y' }])).toHaveLength(3);
    expect(
      issuesOf([{ ...plain, lookupKey: 'key', siteKey: 'x' }], { LOOKUP_BASE_URL: 'https://a.example/api/v1' }),
    ).toEqual([expect.stringContaining('siteKey needs another site.')]);
  });
});

describe('a site that is to confirm votes', () => {
  it.each([
    [{}, ['TALLYHOOK_CONFIG listings.0.siteKey is missing, and top.gg is to confirm votes.']],
    [{ siteKey: 'key' }, []],
    [{ site: 'discordplace', siteKey: 'key', id: undefined }, ['TALLYHOOK_CONFIG listings.0.id is missing']],
    [
      { site: 'discords', siteKey: 'key' },
      ['TALLYHOOK_CONFIG listings.0.confirm needs a site that says who has voted'],
    ],
    [
      { site: 'discordplace', siteKey: 'key', kind: 'server' },
      ['confirm needs a site that says who has voted for a server'],
    ],
    [{ site: 'infinity' }, []],
  ])('has what it is asked with: %j', (changes, issues) => {
    expect(issuesOf([{ ...topgg, confirm: true, ...changes }])).toEqual(
      issues.map((each) => expect.stringContaining(each)),
    );
  });
});
