import { expect, it } from 'vitest';
import type { Command } from '../../commands/command.ts';
import { withCustomCommands } from '../../commands/custom-commands.ts';
import { commands } from '../../commands/index.ts';

const named = (name: string): Command => ({
  ...{ name, visibility: 'private', hasPages: false, isServedBy: () => true },
  describe: () => ({ description: 'A command.', options: [] }),
  execute: async () => ({ tone: 'plain' }),
});

it('commands of the user follow those of tallyhook', () => {
  const all = withCustomCommands(commands, [named('daily'), named('täglich')]);
  expect(all.map(({ name }) => name)).toEqual([...commands.map(({ name }) => name), 'daily', 'täglich']);
});

it.each([[['credits']], [['daily', 'daily']]])('names that are taken are rejected: %j', (names) => {
  expect(() => withCustomCommands(commands, names.map(named))).toThrow(
    expect.objectContaining({ code: 'command_name_taken', hint: expect.stringContaining('/credits') }),
  );
});

it.each(['Daily', 'a b', '', 'x'.repeat(33), '/daily'])('names that Discord rejects are rejected: %j', (name) => {
  expect(() => withCustomCommands(commands, [named(name)])).toThrow(
    expect.objectContaining({ code: 'command_name_invalid' }),
  );
});
