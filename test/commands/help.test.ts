import { describe, expect, it } from 'vitest';
import type { Command } from '../../commands/context.ts';
import { type CustomCommand, withCustomCommands } from '../../commands/custom-command.ts';
import { help } from '../../commands/help.ts';
import { commands } from '../../commands/index.ts';
import type { CommandInput } from '../../src/discord/commands/command.ts';
import { textsIn } from '../../src/texts/texts.ts';
import { contextFor, fakeLookup, inputOf, memberId } from '../support/command-fixture.ts';

const en = textsIn('en-US');

const server = { name: 'server', lookup: fakeLookup('server', {}) };

async function textOf(changes: Partial<CommandInput>, all: readonly Command[] = commands, listings = [server]) {
  const commandId = (name: string) => (name === 'vote' ? '300000000000000001' : null);
  const { text } = await help.execute(inputOf({}, changes), { ...contextFor(...listings), commands: all, commandId });
  return text ?? '';
}

describe('/help', () => {
  it('and all other commands are private, except three, and three are for managers', () => {
    const namesWith = (check: (command: Command) => boolean) => commands.filter(check).map(({ name }) => name);
    expect(namesWith(({ visibility }) => visibility === 'public').toSorted()).toEqual([
      'leaderboard',
      'reviews',
      'stats',
    ]);
    const managers = namesWith((each) => each.defaultMemberPermissions === 'ManageGuild').toSorted();
    expect(managers).toEqual(['award', 'setup', 'trace']);
  });

  it('lists each command in a line, as a mention if its id is known', async () => {
    const [listed = '', menus] = (await textOf({})).split('\n\n');
    const entries = listed.split('\n');
    expect([entries[0], entries.find((entry) => entry.startsWith('**/reviews**'))]).toEqual([
      `</vote:300000000000000001> · ${en.text('canVote.listDescription')}`,
      `**/reviews** · ${en.text('reviews.description')}`,
    ]);
    expect(entries).toHaveLength(commands.filter((command) => command.defaultMemberPermissions === undefined).length);
    expect(menus).toBe('**In the menu of a member, under Apps**\n**Credits**');
  });

  it('shows the options of one command', async () => {
    const run = (command: string) => help.execute(inputOf({ command }), { ...contextFor(server), commands });
    const reply = await run('reviews');
    expect(reply.text).toBe(`**/reviews**\n${en.text('reviews.description')}`);
    expect(reply.fields?.[0]).toEqual({ name: '\\[sort\\]', value: en.text('reviews.sortOption') });
    expect((await run('/canvote')).text).toContain(en.text('canVote.description'));
    expect((await run('award')).title).toBe(en.text('help.title'));
  });

  it.each([
    [false, []],
    [true, [{ name: '/award', value: 'award' }]],
  ])('suggests commands that the member can use (a manager: %s)', async (isManager, expected) => {
    const typing = { option: 'command', typed: 'awa', options: {}, userId: memberId, guildId: '1', isManager };
    expect(await help.autocomplete(typing, { ...contextFor(server), commands })).toEqual(expected);
  });

  it('shows the commands for managers to managers alone', async () => {
    expect(await textOf({})).not.toContain('/award');
    const text = await textOf({ isManager: true });
    const [everyone = '', managers = ''] = text.split('**For members with the permission Manage Server**');
    expect(everyone).toContain('**For everyone**\n</vote');
    expect(managers).toMatch(/^\n\*\*\/award\*\* · /);
    expect(managers).toContain('**Credits** · **Award credits** · **Trace votes**');
  });

  it('lists in a direct message only what can be run there', async () => {
    const text = await textOf({ guildId: null, roles: null });
    expect(text).toContain('</vote');
    expect(text).not.toContain('/award');
  });
});

const named = (name: string): CustomCommand => ({
  ...{ name, visibility: 'private' },
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
