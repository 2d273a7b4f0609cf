import { describe, expect, it } from 'vitest';
import type { Command } from '../../commands/context.ts';
import { help } from '../../commands/help.ts';
import { commands } from '../../commands/index.ts';
import type { CommandInput, Need } from '../../src/discord/commands/command.ts';
import { textsIn } from '../../src/texts/texts.ts';
import { contextFor, fakeLookup, inputOf, memberId } from '../support/command-fixture.ts';

const en = textsIn('en-US');

const server = { name: 'server', lookup: fakeLookup('server', {}) };

async function textOf(changes: Partial<CommandInput>, all: readonly Command[] = commands, listings = [server]) {
  const commandId = (name: string) => (name === 'vote' ? '300000000000000001' : null);
  const { text } = await help.execute(inputOf({}, changes), {
    ...contextFor(...listings),
    commands: all,
    commandId,
  });
  return text ?? '';
}

/** A command with a long description. */
function longCommand(number: number): Command {
  return {
    ...help,
    name: `long${number}`,
    describe: () => ({ description: `${number} ${'x'.repeat(90)}`, options: [] }),
    execute: () => Promise.reject(new Error('unused')),
  };
}

describe('/help', () => {
  it('is visible only to the member who runs it', () => expect(help.visibility).toBe('private'));

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

  it('omits what the community has nothing for', async () => {
    const all = { ...contextFor(server), commands };
    const listed = async (lacks: readonly Need[]) => (await help.execute(inputOf({}), { ...all, lacks })).text;
    expect(await listed([])).toContain('/shop');
    expect(await listed(['shop'])).not.toContain('/shop');
    expect(await listed(['shop', 'accounts'])).not.toMatch(/\/(credits|leaderboard|shop)/);
  });

  it('omits commands that no listing supports', async () => {
    expect(await textOf({}, commands, [])).not.toContain('/reviews');
  });

  it('lists in a direct message only what can be run there', async () => {
    const text = await textOf({ guildId: null, roles: null });
    expect(text).toContain('</vote');
    expect(text).not.toContain('/award');
  });

  it('shows only whole lines if there are many', async () => {
    const all = Array.from({ length: 60 }, (_, index) => longCommand(index));
    const entries = (await textOf({}, all)).split('\n');
    expect(entries.join('\n').length).toBeLessThanOrEqual(4_096);
    for (const [index, entry] of entries.entries()) {
      expect(entry).toMatch(new RegExp(`^\\*\\*/long${index}\\*\\* · ${index} x{90}$`));
    }
    expect(entries.length).toBeGreaterThan(30);
  });
});
