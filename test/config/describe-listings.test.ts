import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describeListings, publicListings } from '../../config/describe.ts';
import { listingsFile } from '../../config/listings-file.ts';
import { loadConfig } from '../../config/load.ts';
import type { SettingSpec } from '../../src/core/settings/setting-spec.ts';
import { settings } from '../../src/features/settings.ts';
import { environmentWith, harbour } from '../support/listings-file.ts';

const rewards = {
  ...{ vote: 11, premium: 100, whenDenied: 0 },
  multipliers: [
    { factor: 2, days: ['saturday', 'monday'], role: '7' },
    { factor: 1.5, from: '2026-12-01T00:00:00.000Z', until: '2026-12-08T00:00:00.000Z' },
  ],
  streak: { every: 7, credits: 50, forgive: 1 },
  milestones: [
    { votes: 10, credits: 100, role: '8' },
    { everyVotes: 10, credits: 500 },
    { votes: 20, per: 'month', credits: 50 },
  ],
  ...{ milestoneRoles: 'highest', voterRole: { role: '9', for: '36h' }, premiumRoles: { Gold: '10', '*': '11' } },
  ...{
    allListings: 20,
    firstVote: 5,
    luck: [{ chance: 0.02, credits: 100, name: 'Jackpot' }],
    weight: true,
    party: { goal: 100, per: 'week', credits: 25 },
  },
};
const shop = [
  { id: 'vip', name: 'VIP', price: 100, role: '12', for: '7d', stock: 5, needsRole: '13' },
  { id: 'key', name: 'Game key', price: 500, codes: ['hush-one', 'hush-two'], codesFile: 'codes.txt' },
];
const files = { 'codes.txt': 'hush-three' };
const bot = { name: 'quartermaster', kind: 'bot', lookupKey: 'bot-key-for-tests', voteSecrets: ['secret-for-tests'] };

describe('tallyhook config', () => {
  it('shows rewards as they are in the file', () => {
    const [listing] = publicListings(environmentWith([{ ...harbour, rewards }])) ?? [];
    const shown = listing?.settings.filter(({ name }) => name.startsWith('rewards.')) ?? [];
    expect(Object.fromEntries(shown.map(({ name, value }) => [name.replace('rewards.', ''), value]))).toMatchObject(
      rewards,
    );
    expect(listingsFile.safeParse({ listings: [{ ...harbour, rewards }] }).success).toBe(true);
  });

  it('shows where each effective value comes from', () => {
    const environment: Record<string, string> = {
      ...environmentWith([
        { ...harbour, timeZone: 'Europe/Berlin', rewards: { premium: 5, party: rewards.party } },
        bot,
      ]),
      CREDITS_PER_VOTE: '4',
      VOTER_ROLE_ID: '9',
      VOTER_ROLE_FOR: '1d',
    };
    const [server, quartermaster] = publicListings(environment) ?? [];
    expect(server).toMatchObject({ name: 'harbour', kind: 'server' });
    expect(server?.settings).toEqual(
      expect.arrayContaining([
        { name: 'guildId', source: 'file', value: '1000' },
        { name: 'timeZone', source: 'file', value: 'Europe/Berlin' },
        { name: 'ownerChannelId', source: 'unset', value: null },
        { name: 'cooldownHours', source: 'default', value: 12 },
        { name: 'rewards.vote', source: 'environment', value: 4 },
        { name: 'rewards.premium', source: 'file', value: 5 },
        { name: 'rewards.voterRole', source: 'environment', value: { role: '9', for: '1d' } },
        { name: 'rewards.party', source: 'file', value: rewards.party },
        { name: 'shop', source: 'default', value: [] },
        { name: 'lookupKey', source: 'file', value: null, secret: true },
        { name: 'voteSecrets', source: 'unset', value: null, secret: true },
      ]),
    );
    const sources = Object.fromEntries(quartermaster?.settings.map(({ name, source }) => [name, source]) ?? []);
    expect(sources).toMatchObject({
      ...{ guildId: 'file', timeZone: 'file', 'rewards.premium': 'default', 'rewards.party': 'file' },
    });
    const { TALLYHOOK_CONFIG: _, ...variables } = environment;
    const [fromVariables] = publicListings({ ...variables, LOOKUP_BOT_KEY: 'key', DISCORD_GUILD_ID: '1000' }) ?? [];
    expect(fromVariables?.settings.slice(0, 2)).toEqual([
      { name: 'guildId', source: 'environment', value: '1000' },
      { name: 'timeZone', source: 'default', value: 'UTC' },
    ]);
  });

  it('shows the number of codes, and no code or other secret', () => {
    const environment = environmentWith([{ ...harbour, rewards, shop }, bot], files);
    const text = describeListings(environment);
    expect(text).toContain('Listing quartermaster (bot)\n  guildId ');
    expect(text).toMatch(/\n {2}rewards\.voterRole +\{"role":"9","for":"36h"\} {2}\(file\)\n/);
    expect(text).toMatch(/\n {2}shop .*\{"id":"key","name":"Game key","price":500,"codeCount":3\}\] {2}\(file\)\n/);
    for (const shown of [text, JSON.stringify(publicListings(environment))]) {
      expect(shown).toContain('Game key');
      for (const secret of ['hush', 'for-tests']) expect(shown).not.toContain(secret);
    }
  });

  it('shows no listings if the settings are invalid', () => {
    const invalid = environmentWith([{ ...harbour, shop: [{ ...shop[1], price: -1 }] }], files);
    expect(publicListings(invalid)).toBe(null);
    expect(describeListings(invalid)).toMatch(/^The listings are not shown/);
  });
});

describe('the documentation', () => {
  const text = readFileSync('docs/configuration.md', 'utf8');

  it('contains examples that are valid', () => {
    const examples = [...text.matchAll(/```json\n([^`]+)```/g)].map(([, json = '']) =>
      json.replaceAll('"…"', '"secret"'),
    );
    expect(examples).toHaveLength(2);
    for (const example of examples) {
      const { listings } = loadConfig(environmentWith(JSON.parse(example).listings, { 'game-keys.txt': 'a\nb' }));
      expect(listings.map(({ guildId }) => guildId)).toEqual(['613425648685547541', '613425648685547541']);
    }
  });

  it('has the defaults that are in effect', () => {
    const { listings } = loadConfig(environmentWith([{ name: 'one', kind: 'server', lookupKey: 'k' }]));
    for (const listing of listings) {
      for (const spec of settings as readonly SettingSpec[]) {
        if (spec.variable === undefined)
          expect(spec.inFile(listing) || false, spec.path).toEqual(spec.default ?? off(spec));
      }
    }
  });
});

/** The value of a setting without a default. */
function off({ schema }: SettingSpec): unknown {
  return [[], {}].find((empty) => schema.safeParse(empty).success) ?? false;
}
