import { expect, it } from 'vitest';
import { communityConfig, type OpenedSetting } from '../../../config/listings.ts';
import { loadConfig } from '../../../config/load.ts';
import { webhookEndpoints } from '../../../src/features/events/event.ts';
import { exportSettings } from '../../../src/features/settings/file.ts';
import { withSeparateParts } from '../../../src/features/settings/stored.ts';
import { environmentWith, harbour } from '../../support/listings-file.ts';

const url = 'https://bot.example.com/hook';
const variables = { WEBHOOK_URL: url, WEBHOOK_SECRET: 'secret-of-the-operator', WEBHOOK_EVENTS: 'vote.recorded' };
const linkedIn = (guildId: string): OpenedSetting => {
  return { listing: 'linked', path: 'link', value: { kind: 'server', id: guildId } };
};

function endpointsIn(guildId: string, environment: Readonly<Record<string, string>>, stored: OpenedSetting[] = []) {
  const { base } = loadConfig({ ...environmentWith([{ ...harbour, guildId: '1000' }]), ...environment });
  const [listing] = communityConfig(base, guildId, [linkedIn(guildId), ...stored]).listings;
  return listing === undefined ? undefined : webhookEndpoints.in(listing);
}

it('an address of the operator is of one guild, whatever others link, and keeps its secret beside stored ones', () => {
  const own = { ...variables, DISCORD_GUILD_ID: '1000' };
  expect(endpointsIn('1000', own)).toMatchObject([{ url, secrets: ['secret-of-the-operator'] }]);
  expect(endpointsIn('2000', own)).toEqual([]);
  const other = { url: 'https://other.example.com/' };
  const stored = [
    {
      listing: '',
      path: 'webhooks',
      value: [
        { url, secretCount: 1 },
        { ...other, secretCount: 1 },
      ],
    },
  ];
  const both = endpointsIn('1000', own, stored);
  expect(both).toMatchObject([
    { url, secrets: ['secret-of-the-operator'], events: null },
    { ...other, secrets: [] },
  ]);
  // What others store names no secret of the operator.
  expect(endpointsIn('2000', own, stored)).toMatchObject([{ url, secrets: [] }, other]);
});

it('an edit keeps, adds and removes secrets, which are stored apart and in no export', () => {
  const { listings } = loadConfig(
    environmentWith([{ ...harbour, webhooks: [{ url, secrets: ['newest-of-them-all', 'older-of-them-all'] }] }]),
  );
  const [current] = listings;
  const edited = (value: unknown) => withSeparateParts([{ listing: '', path: 'webhooks', value }], current);
  const [list, ...none] = edited([{ url, events: ['vote.recorded'] }]);
  expect([list?.value, none]).toEqual([[{ url, events: ['vote.recorded'], secretCount: 2 }], []]);
  const secretsAfter = (value: unknown) =>
    edited(value)
      .slice(1)
      .map((each) => each.value);
  expect(secretsAfter([{ url, newSecret: 'an-added-one-now' }])).toEqual([['an-added-one-now', 'newest-of-them-all']]);
  expect(secretsAfter([{ url, dropOldSecrets: true }])).toEqual([['newest-of-them-all']]);
  expect([secretsAfter([]), secretsAfter(undefined), secretsAfter('x')]).toEqual([
    [undefined],
    [undefined],
    [undefined],
  ]);
  expect(edited([{ url: `${url}/2` }])[0]?.value).toEqual([{ url: `${url}/2`, secretCount: 0 }]);
  const settings = [
    { listing: '', path: 'webhooks', value: [{ url, secretCount: 1 }] },
    ...edited([{ url, dropOldSecrets: true }]).slice(1),
  ];
  const exported = exportSettings('1000', { settings, listings, withSecrets: false });
  expect(JSON.parse(exported).listings[0].webhooks).toEqual([{ url, secretCount: 1 }]);
});

it.each([
  ['no secret', { WEBHOOK_SECRET: '' }, /WEBHOOK_SECRET is missing, and WEBHOOK_URL needs it/],
  ['a short secret', { WEBHOOK_SECRET: 'short' }, /WEBHOOK_SECRET .*16 to 200 characters/],
  [
    'a secret that no library reads',
    { WEBHOOK_SECRET: 'whsec_not-in-base64-at-all' },
    /WEBHOOK_SECRET .*base64 behind whsec_/,
  ],
  [
    'a password in the address',
    { WEBHOOK_URL: 'https://ann:hunter2@bot.example.com/' },
    /^(?!.*hunter2).*WEBHOOK_URL/s,
  ],
])('the variables of an address are checked as the file is: %s', (_name, changed, message) => {
  expect(() => loadConfig({ ...environmentWith([harbour]), ...variables, ...changed })).toThrow(message);
});

it('a path of an address keeps its last slash', () => {
  const own = { ...variables, WEBHOOK_URL: `${url}/`, DISCORD_GUILD_ID: '1000' };
  expect(endpointsIn('1000', own)).toMatchObject([{ url: `${url}/` }]);
});

it.each([
  ['https://bot.example.com/hook', 0],
  ['http://bot.example.com/hook', 1],
  ['https://127.0.0.1/hook', 1],
  ['https://[::1]:8443/hook', 1],
  ['https://my-bot:8080/', 1],
])('warns of an address to which nothing is sent: %s', (address, count) => {
  const own = { ...environmentWith([harbour]), ...variables, WEBHOOK_URL: address };
  const warned = (more: object) =>
    loadConfig({ ...own, ...more }).warnings.filter(({ setting }) => setting === 'WEBHOOK_URL');
  expect(warned({})).toHaveLength(count);
  expect(warned({ WEBHOOK_PRIVATE_TARGETS: 'on' })).toEqual([]);
});
