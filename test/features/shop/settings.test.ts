import { day } from '@tallyhook/platform/durations';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { communityConfig } from '../../../config/listings.ts';
import { loadConfig } from '../../../config/load.ts';
import { exportSettings } from '../../../src/features/settings/file.ts';
import {
  decidePurchase,
  type PublicShopItem,
  type PurchaseContext,
  shopItems,
  withoutCodes,
} from '../../../src/features/shop/purchase.ts';
import { botToken } from '../../support/bot-token.ts';
import { environmentWith, harbour, issuesOf } from '../../support/listings-file.ts';
import { itemOf } from '../../support/shop-store.ts';

type Files = Readonly<Record<string, string>>;

const shopOf = (shop: readonly object[], files: Files = {}) =>
  shopItems.in(loadConfig(environmentWith([{ ...harbour, shop }], files)).listings[0] ?? {});

/** The issues of this shop as text, with their position in `shop`. */
function shopIssues(shop: readonly object[], files: Files = {}): string[] {
  return issuesOf(environmentWith([{ ...harbour, shop }], files)).map(
    ({ setting, problem }) => `${setting.replace('TALLYHOOK_CONFIG listings.0.shop.', '')} ${problem}`,
  );
}

const vip = { id: 'vip', name: 'VIP for a week', price: 100, role: '12', for: '7d', stock: 5, needsRole: '13' };
const key = { id: 'key', name: 'Game key', price: 0, codes: ['code-one', 'code-two'] };

describe('a shop', () => {
  it('offers roles, codes and what the owner fulfils', () => {
    const shout = { id: 'shout', name: 'Shout-out', price: 50, manual: true };
    const absent = {
      role: null,
      forMs: null,
      codes: null,
      manual: false,
      stock: null,
      needsRole: null,
      limit: null,
      from: null,
      until: null,
      description: null,
      emoji: null,
      picture: null,
    };
    const { for: _, ...role } = vip;
    expect(shopOf([vip, key, shout])).toEqual([
      { ...absent, ...role, forMs: 7 * 86_400_000 },
      { ...absent, ...key },
      { ...absent, ...shout },
    ]);
  });

  it('takes codes from a text file beside the settings, whatever its line ends', () => {
    const content = '\uFEFFfirst code\r\n\r\n  second \nthird';
    const codes = ['first code', 'second', 'third'];
    const withFile = { ...key, codes: undefined, codesFile: 'codes.txt' };
    expect(shopOf([withFile], { 'codes.txt': content })).toMatchObject([{ codes }]);
    expect(shopOf([{ ...withFile, codes: ['zero'] }], { 'codes.txt': content })).toMatchObject([
      { codes: ['zero', ...codes] },
    ]);
  });

  it('has up to 100 items', () => {
    const items = Array.from({ length: 101 }, (_, index) => ({ ...vip, id: `item-${index}`, name: `Item ${index}` }));
    expect(shopOf(items.slice(1))).toHaveLength(100);
    expect(issuesOf(environmentWith([{ ...harbour, shop: items }]))).toMatchObject([
      { setting: 'TALLYHOOK_CONFIG listings.0.shop', problem: 'is invalid: it must have at most 100 items.' },
    ]);
  });
});

describe('an invalid item', () => {
  const kinds =
    '0 is invalid: it must be exactly one of a role ("role"), codes ("codes" or "codesFile") or "manual": true.';
  const idIssue = '0.id is invalid: it must consist of at most 32 letters, digits, dashes and underscores.';
  const { role: _, for: __, ...withoutRole } = vip;

  it.each<[string, readonly object[], string]>([
    ['of no kind', [withoutRole], kinds],
    ['with a duration only', [{ ...key, for: '7d' }], '0.for is invalid: it is only valid together with "role".'],
    ['with a space in its id', [{ ...vip, id: 'v p' }], idIssue],
    ['with the id of another', [vip, { ...key, id: 'vip' }], '1.id is invalid: an earlier item has the same id.'],
    [
      'with the name of another',
      [vip, { ...key, name: ' vip For a week' }],
      '1.name is invalid: an earlier item has the same name.',
    ],
    [
      'that ends before it begins',
      [{ ...vip, from: '2026-01-02T00:00:00Z', until: '2026-01-02T00:00:00+01:00' }],
      '0.until is invalid: it must be later than "from".',
    ],
    [
      'with two emoji',
      [{ ...vip, emoji: '🎁🎁' }],
      '0.emoji is invalid: it must be one emoji, such as 🎁, or one of your server as <:name:id>.',
    ],
    [
      'with a picture that is not on the web',
      [{ ...vip, picture: 'http://example.com/a.png' }],
      '0.picture is invalid: it must be the https address of an image.',
    ],
    ['with a long name', [{ ...vip, name: 'v'.repeat(81) }], '0.name is invalid: it must have 1 to 80 characters.'],
    [
      'without stock, which nobody could buy',
      [{ ...vip, stock: 0 }],
      '0.stock is invalid: it must be a whole number from 1 to 1000000000.',
    ],
    ['without codes', [{ ...key, codes: [] }], '0 has no codes.'],
    [
      'with a code twice',
      [{ ...key, codes: ['code-one', 'code-two', ' code-one', 'code-two'] }],
      '0 has a code twice: listings.0.shop.0.codes.2 repeats listings.0.shop.0.codes.0, and 1 other code.',
    ],
    [
      'with a code of another item',
      [key, { ...key, id: 'other', name: 'Other', codes: ['code-two'] }],
      '1 has a code twice: listings.0.shop.1.codes.0 repeats listings.0.shop.0.codes.1.',
    ],
    [
      'with a code of two lines',
      [{ ...key, codes: ['code\none'] }],
      '0.codes.0 is invalid: it must be a code of 1 to 200 characters on one line.',
    ],
  ])('is reported with its path and what is valid: %s', (_name, shop, issue) => {
    expect(shopIssues(shop)).toEqual([issue]);
  });

  it('is reported if its file has no code, a code twice, a long line, or cannot be read', () => {
    const shop = [{ ...key, codes: undefined, codesFile: 'codes.txt' }];
    const withContent = (content: string) => shopIssues(shop, { 'codes.txt': content });
    expect(withContent(' \n\n')).toEqual(['0 has no codes.']);
    expect(withContent('code-one\n\ncode-one')).toEqual([
      expect.stringMatching(/^0 has a code twice: line 3 of \S+codes.txt repeats line 1 of \S+codes.txt\.$/),
    ]);
    expect(withContent(`code-one\n${'c'.repeat(201)}`)).toEqual([
      expect.stringMatching(/^0.codesFile has a code with more than 200 characters: line 2 of \S+codes.txt\.$/),
    ]);
    expect(shopIssues(shop)).toEqual([
      expect.stringMatching(/^0.codesFile points to .*codes.txt, which does not exist/),
    ]);
  });
});

describe('the codes of a shop', () => {
  it('are not among the secrets that the log searches every line for', () => {
    expect(loadConfig(environmentWith([{ ...harbour, shop: [key] }])).secrets).toEqual([botToken, 'key-for-tests']);
  });

  it('are in no issue', () => {
    const invalid = [
      { ...key, codes: ['hush-hush', 'hush-hush', 'hush\nhush', '', { hush: 'hush' }] },
      { ...key, codes: 'hush-hush' },
      { ...key, id: 'hush hush', codes: ['hush-hush'], codesFile: 'codes.txt', manual: 'hush-hush' },
    ];
    for (const item of [...invalid, { ...key, codesFile: 'codes.txt' }]) {
      const issues = issuesOf(environmentWith([{ ...harbour, shop: [item] }], { 'codes.txt': 'hush-hush\nhush-hush' }));
      expect(issues.length).toBeGreaterThan(0);
      expect(JSON.stringify(issues)).not.toContain('hush');
    }
  });
});

const keyItem = { id: 'key', name: 'Key', price: 5 };
const stored = (path: string, value: unknown) => ({ listing: '', path, value });
const changed = stored('shop', [{ ...keyItem, price: 6, codeCount: 1 }]);
const codes = stored('shop.key.codes', ['of-setup']);

function community(...settings: readonly ReturnType<typeof stored>[]) {
  const { base } = loadConfig(environmentWith([{ ...harbour, shop: [{ ...keyItem, codes: ['of-the-file'] }] }]));
  return communityConfig(base, '1000', settings);
}

it.each([
  ['those of the file as long as none are stored', [changed], ['of-the-file']],
  ['those that are stored', [changed, codes], ['of-setup']],
  ['none if they cannot be read', [stored('shop', [{ ...keyItem, id: 'other', codeCount: 1 }])], []],
  ['null for an item that is something else now', [stored('shop', [{ ...keyItem, manual: true }]), codes], null],
])('the codes of an item are %s', (_name, settings, expected) => {
  expect(shopItems.in(community(...settings).listings[0] ?? {})[0]?.codes).toEqual(expected);
});

it('the codes of items are exported with the items that have codes', () => {
  const shopIn = (...settings: readonly ReturnType<typeof stored>[]) => {
    const { listings } = community(...settings);
    return JSON.parse(exportSettings('1000', { settings, listings, withSecrets: true })).listings[0].shop;
  };
  expect(shopIn(changed, codes)).toEqual([{ ...keyItem, price: 6, codes: ['of-setup'] }]);
  expect(shopIn(changed)).toEqual([{ ...keyItem, price: 6, codeCount: 1 }]);
  expect(shopIn(stored('shop', [{ ...keyItem, manual: true }]), codes)).toEqual([{ ...keyItem, manual: true }]);
});

const now = Date.UTC(2026, 0, 5);
const base = withoutCodes(itemOf({ id: 'vip', name: 'VIP', price: 30 }));
const role: PublicShopItem = { ...base, role: '7', forMs: 7 * day, codeCount: null };
const code: PublicShopItem = { ...base, role: null, forMs: null, codeCount: 3 };
const rich: PurchaseContext = {
  ...{ confirmedPrice: 30, balance: 100, left: null, bought: 0, isReady: true, now },
  ...{ roles: [], holderRoles: [], grants: [] },
};
const grant = (source: string, until: number | null) => ({ role: '7', source, until });

describe('a purchase', () => {
  it('extends what was bought, and not what was earned', () => {
    const untilOf = (grants: PurchaseContext['grants']) => {
      const decision = decidePurchase(role, { ...rich, grants });
      return decision.rejection === null ? decision.until : decision.rejection;
    };
    expect(untilOf([grant('shop 1', now + day), grant('shop 2', now + 3 * day)])).toBe(now + 10 * day);
    expect(untilOf([grant('shop 1', now - day)])).toBe(now + 7 * day);
    expect(untilOf([grant('premium order', now + 30 * day)])).toBe(now + 7 * day);
    expect(untilOf([grant('milestone', null)])).toBe('already_owned');
  });

  it('is decided as a plain list of reasons says, the first of which counts', () => {
    const time = fc.constantFrom(null, now - 1, now, now + 1);
    const roles = fc.subarray(['7', '8']);
    const situations = fc.record({
      item: fc.record({
        price: fc.constantFrom(0, 30),
        ...{ from: time, until: time },
        limit: fc.constantFrom(null, 1, 2),
        needsRole: fc.constantFrom(null, '8'),
        kind: fc.constantFrom(code, role, base),
      }),
      context: fc.record({
        confirmedPrice: fc.constantFrom(0, 30),
        balance: fc.constantFrom(0, 29, 30),
        left: fc.constantFrom(null, 0, 1),
        bought: fc.nat(2),
        isReady: fc.boolean(),
        ...{ roles, holderRoles: roles },
        grants: fc.subarray([grant('premium x', now + day), grant('milestone', null)]),
      }),
    });
    fc.assert(
      fc.property(situations, ({ item: { kind, ...changes }, context }) => {
        const item = { ...kind, ...changes };
        const holder = context.grants.length > 0 ? context.grants.map(({ until }) => until) : null;
        const reasons: readonly (readonly [string, boolean])[] = [
          ['not_on_sale', (item.from ?? now) > now || (item.until ?? now + 1) <= now],
          ['not_ready', !context.isReady],
          ['price_changed', context.confirmedPrice !== item.price],
          ['role_required', item.needsRole === '8' && !context.roles.includes('8')],
          [
            'already_owned',
            item.role === '7' && (holder === null ? context.holderRoles.includes('7') : holder.includes(null)),
          ],
          ['limit_reached', item.limit !== null && context.bought >= item.limit],
          ['sold_out', context.left === 0],
          ['overdrawn', context.balance < item.price],
        ];
        const expected = reasons.find(([, applies]) => applies)?.[0] ?? null;
        expect(decidePurchase(item, { ...context, now }).rejection).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });
});
