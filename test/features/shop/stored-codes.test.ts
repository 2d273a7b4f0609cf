import { expect, it } from 'vitest';
import { communityConfig } from '../../../config/listings.ts';
import { loadConfig } from '../../../config/load.ts';
import { exportSettings } from '../../../src/features/settings/file.ts';
import { shopItems } from '../../../src/features/shop/purchase.ts';
import { environmentWith, harbour } from '../../support/listings-file.ts';

const key = { id: 'key', name: 'Key', price: 5 };
const stored = (path: string, value: unknown) => ({ listing: '', path, value });
const changed = stored('shop', [{ ...key, price: 6, codeCount: 1 }]);
const codes = stored('shop.key.codes', ['of-setup']);

function community(...settings: readonly ReturnType<typeof stored>[]) {
  const { base } = loadConfig(environmentWith([{ ...harbour, shop: [{ ...key, codes: ['of-the-file'] }] }]));
  return communityConfig(base, '1000', settings);
}

it.each([
  ['those of the file as long as none are stored', [changed], ['of-the-file']],
  ['those that are stored', [changed, codes], ['of-setup']],
  ['none if they cannot be read', [stored('shop', [{ ...key, id: 'other', codeCount: 1 }])], []],
  ['null for an item that is something else now', [stored('shop', [{ ...key, manual: true }]), codes], null],
])('the codes of an item are %s', (_name, settings, expected) => {
  expect(shopItems.in(community(...settings).listings[0] ?? {})[0]?.codes).toEqual(expected);
});

it('the codes of items are exported with the items that have codes', () => {
  const shopIn = (...settings: readonly ReturnType<typeof stored>[]) => {
    const { listings } = community(...settings);
    return JSON.parse(exportSettings('1000', { settings, listings, withSecrets: true })).listings[0].shop;
  };
  expect(shopIn(changed, codes)).toEqual([{ ...key, price: 6, codes: ['of-setup'] }]);
  expect(shopIn(changed)).toEqual([{ ...key, price: 6, codeCount: 1 }]);
  expect(shopIn(stored('shop', [{ ...key, manual: true }]), codes)).toEqual([{ ...key, manual: true }]);
});
