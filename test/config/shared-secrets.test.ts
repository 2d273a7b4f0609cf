import { expect, it } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { readReceiverOptions } from '../../config/receiver-options.ts';
import { environmentWith, harbour, issuesOf } from '../support/listings-file.ts';

const listed = (name: string, count: number, changes: object = {}) => ({
  ...harbour,
  name,
  voteSecrets: Array.from({ length: count }, (_, index) => `${name}-secret-number-${index}`),
  ...changes,
});

it('the shared addresses accept at most 200 secrets, and what else to do is said', () => {
  expect(issuesOf(environmentWith([listed('a', 100), listed('b', 100)]))).toEqual([]);
  const tooMany = [listed('a', 100), listed('b', 101)];
  expect(issuesOf(environmentWith(tooMany))).toMatchObject([
    {
      setting: 'listings',
      problem: 'have 201 different secrets, and the shared addresses accept at most 200.',
      hint: expect.stringContaining('"ownAddress": true'),
    },
  ]);
  const ofReceiver = tooMany.map(({ name, kind, voteSecrets }) => ({ name, kind, voteSecrets }));
  expect(() => readReceiverOptions({ listings: ofReceiver, database: ':memory:' })).toThrow(/201 different secrets/);
});

it('secrets of listings with an address of their own, of other sites, and those that are shared do not count', () => {
  const shared = { voteSecrets: listed('a', 150).voteSecrets };
  const { listings } = loadConfig(
    environmentWith([
      ...[listed('a', 150), listed('b', 150, shared), listed('c', 150, { ownAddress: true })],
      { name: 'd', kind: 'bot', site: 'topgg', voteSecrets: listed('d', 150).voteSecrets },
    ]),
  );
  expect(listings.map(({ ownAddress }) => ownAddress)).toEqual([undefined, undefined, true, undefined]);
});
