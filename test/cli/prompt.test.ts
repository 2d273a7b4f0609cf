import { PassThrough } from 'node:stream';
import { ctrlC } from '@tallyhook/platform/testing/typist';
import { captive } from 'listing-service/testing/terminal';
import { expect, it } from 'vitest';
import { confirmed } from '../../src/cli/prompt.ts';

it.each([
  ['y', true],
  ['n', false],
  ['\r', false],
  [ctrlC, false],
])('%j to a question before something that cannot be taken back means %s', async (typed, expected) => {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const { terminal, output } = captive(input);
  const answer = confirmed('Delete all?', 'Nothing was deleted.', terminal);
  input.write(typed);
  expect(await answer).toBe(expected);
  expect(output().includes('Nothing was deleted.')).toBe(!expected);
});

it('is not asked without a terminal', async () => {
  await expect(confirmed('Delete all?', 'Nothing was deleted.', captive().terminal)).rejects.toThrow('Use --yes');
});
