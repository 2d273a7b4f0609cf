import { expect, test } from 'vitest';
import { hostUrl, isWildcardHost, localUrl } from '../src/host-address.ts';

test.each([
  ['0.0.0.0', 'http://127.0.0.1:3000'],
  ['0', 'http://127.0.0.1:3000'],
  ['', 'http://127.0.0.1:3000'],
  ['::', 'http://[::1]:3000'],
  ['0:0:0:0:0:0:0:0', 'http://[::1]:3000'],
  ['::ffff:0.0.0.0', 'http://127.0.0.1:3000'],
])('a server on the wildcard "%s" is reached at %s', (host, url) => {
  expect(isWildcardHost(host)).toBe(true);
  expect(localUrl(host, 3000)).toBe(url);
});

test.each([
  ['127.0.0.1', 'http://127.0.0.1:3000'],
  ['10.0.0.5', 'http://10.0.0.5:3000'],
  ['localhost', 'http://localhost:3000'],
  ['::1', 'http://[::1]:3000'],
  ['2001:db8::5', 'http://[2001:db8::5]:3000'],
])('a server on %s is reached at %s', (host, url) => {
  expect(isWildcardHost(host)).toBe(false);
  expect(localUrl(host, 3000)).toBe(url);
  expect(hostUrl(host, 3000)).toBe(url);
});
