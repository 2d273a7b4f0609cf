import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Choice, ChoiceList, createChoices } from '../../../src/cli/init/choices.ts';
import { captive } from '../../service/terminal.ts';

const choices: readonly Choice[] = Array.from({ length: 250 }, (_, index) => ({
  id: String(100_000_000_000_000_000n + BigInt(index)),
  name: `Harbour ${index + 1}`,
}));

/** Chooses from a list; `lines` is what was printed. */
function chosenFrom(all: readonly Choice[], ...answers: readonly string[]) {
  const { terminal, output } = captive();
  const list = new ChoiceList(all);
  list.print(terminal);
  const ids = answers.map((answer) => list.resolve(answer, terminal));
  return { ids, lines: output().split('\n') };
}

describe('a list of many servers', () => {
  it('shows twenty, and the others after a part of their name', () => {
    const { lines, ids } = chosenFrom(choices, '20', '21', 'harbour 24', '3');
    expect(lines[0]).toContain('Harbour 1  (100000000000000000)');
    expect(lines[20]).toContain('230 more');
    expect(lines[21]).toContain('neither a number nor a name');
    // 24 is one name, and "harbour 24" is exactly that.
    expect(ids).toEqual([choices[19]?.id, null, choices[23]?.id, choices[2]?.id]);
  });

  it('numbers the matches of a part of the name', () => {
    const { ids } = chosenFrom(choices, 'bour 25', '2');
    expect(ids).toEqual([null, choices[249]?.id]);
  });

  it('accepts an id that is not in it', () => {
    expect(chosenFrom(choices, '613425648685547541').ids).toEqual(['613425648685547541']);
  });

  it('shows names without characters that control the terminal', () => {
    const { lines } = chosenFrom([{ id: '1', name: 'Red\u001b[31m\u202e' }]);
    expect(lines).toEqual(['  1  Red[31m  (1)']);
  });
});

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
