import { chmodSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { configWarnings } from '../../../config/warnings.ts';
import { shopItems } from '../../../src/features/shop/purchase.ts';
import { botToken } from '../../support/bot-token.ts';
import { environmentWith, harbour, issuesOf } from '../../support/listings-file.ts';

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
    const absent = { role: null, forMs: null, codes: null, manual: false, stock: null, needsRole: null };
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
    const items = Array.from({ length: 101 }, (_, index) => ({ ...vip, id: `item-${index}` }));
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
    ['of two kinds', [{ ...vip, manual: true }], kinds],
    ['with a role and codes', [{ ...key, role: '1' }], kinds],
    ['not manual', [{ ...vip, manual: false }], '0.manual is invalid: it must be true, or be left out.'],
    ['with a duration only', [{ ...key, for: '7d' }], '0.for is invalid: it is only valid together with "role".'],
    ['with a space in its id', [{ ...vip, id: 'v p' }], idIssue],
    ['with a long id', [{ ...vip, id: 'v'.repeat(33) }], idIssue],
    ['with the id of another', [vip, { ...key, id: 'vip' }], '1.id is invalid: an earlier item has the same id.'],
    ['without a name', [{ ...vip, name: '  ' }], '0.name is invalid: it must have 1 to 80 characters.'],
    ['with a long name', [{ ...vip, name: 'v'.repeat(81) }], '0.name is invalid: it must have 1 to 80 characters.'],
    [
      'with a negative price',
      [{ ...vip, price: -1 }],
      '0.price is invalid: it must be a whole number from 0 to 1000000.',
    ],
    [
      'without a price',
      [{ ...vip, price: undefined }],
      '0.price is missing: it must be a whole number from 0 to 1000000.',
    ],
    [
      'without stock, which nobody could buy',
      [{ ...vip, stock: 0 }],
      '0.stock is invalid: it must be a whole number from 1 to 1000000000.',
    ],
    ['with a role name', [{ ...vip, role: 'vip' }], '0.role is invalid: it must be a Discord id: a string of digits.'],
    ['without codes', [{ ...key, codes: [] }], '0 has no codes.'],
    [
      'with a code twice',
      [{ ...key, codes: ['code-one', 'code-two', ' code-one', 'code-two'] }],
      '0 has a code twice: listings.0.shop.0.codes.2 repeats listings.0.shop.0.codes.0, and 1 other code.',
    ],
    [
      'with a code of another item',
      [key, { ...key, id: 'other', codes: ['code-two'] }],
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

  it('is reported if every user can write the file of its codes, with a warning if every user can read it', () => {
    const environment = environmentWith([{ ...harbour, shop: [{ ...key, codesFile: 'codes.txt' }] }], {
      'codes.txt': 'x',
    });
    const path = join(dirname(environment['TALLYHOOK_CONFIG'] ?? ''), 'codes.txt');
    const setting = 'TALLYHOOK_CONFIG listings.0.shop.0.codesFile';
    expect(configWarnings(environment)).toEqual([]);
    chmodSync(path, 0o644);
    expect(configWarnings(environment)).toMatchObject([{ setting, problem: expect.stringContaining(path) }]);
    expect(loadConfig(environment).warnings).toMatchObject([{ setting }]);
    chmodSync(path, 0o666);
    expect(issuesOf(environment)).toMatchObject([{ setting, hint: expect.stringContaining(`chmod 600 ${path}`) }]);
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
