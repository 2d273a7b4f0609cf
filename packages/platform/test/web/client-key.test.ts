import { expect, it } from 'vitest';
import { clientKeyOf, isTrustedProxy } from '../../src/web/client-key.ts';

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['192.0.2.7:52113', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:c000:0207', '192.0.2.7'],
  ['[::ffff:192.0.2.7]:443', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::9]', '2001:db8:1:2::/64'],
  ['[2001:DB8:1:2::9]:52113', '2001:db8:1:2::/64'],
  ['2001:0db8::9', '2001:db8:0:0::/64'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['[fe80::1%eth1]:80', 'fe80:0:0:0::/64'],
  ['unknown', 'unknown'],
  ['_hidden', 'unknown'],
  ['192.0.2.7, 192.0.2.8', 'unknown'],
  ['192.0.2.777', 'unknown'],
  ['', 'unknown'],
  [undefined, 'unknown'],
])('maps %s to the key %s', (address, key) => {
  expect(clientKeyOf(address)).toBe(key);
});

it.each([
  ['127.0.0.1', true],
  ['::1', true],
  ['::ffff:10.1.2.3', true],
  ['10.0.0.1:3333', true],
  ['[fd00::1]:3333', true],
  ['fe80::1%eth0', true],
  ['172.32.0.1', false],
  ['203.0.113.7', false],
  ['2001:db8::1', false],
  ['proxy', false],
])('trusts %s as a proxy: %s', (hop, isTrusted) => {
  expect(isTrustedProxy(hop)).toBe(isTrusted);
});
