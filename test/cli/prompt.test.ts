import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { ctrlC } from '@tallyhook/platform/testing/typist';
import { captive } from 'listing-service/testing/terminal';
import { expect, it, onTestFinished } from 'vitest';
import { createChoices, type FoundId } from '../../src/cli/init/answers.ts';
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

const choices: readonly FoundId[] = Array.from({ length: 250 }, (_, index) => ({
  id: String(100_000_000_000_000_000n + BigInt(index)),
  name: `Harbour ${index + 1}`,
}));

it('the servers of the bot are read page by page', async () => {
  const server = createServer((request, response) => {
    const after = new URL(request.url ?? '', 'http://discord').searchParams.get('after') ?? '0';
    const page = choices.filter(({ id }) => BigInt(id) > BigInt(after)).slice(0, 200);
    response.setHeader('content-type', 'application/json').end(JSON.stringify(page));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { DISCORD_GUILD_ID: fetchGuilds } = createChoices(`http://127.0.0.1:${port}/api`);
  expect(await fetchGuilds?.(new Map([['DISCORD_TOKEN', 'token']]))).toEqual(choices);
  const unreachable = createChoices('http://127.0.0.1:9/api').DISCORD_GUILD_ID;
  expect(await unreachable?.(new Map([['DISCORD_TOKEN', 'token']]))).toBe(null);
});
