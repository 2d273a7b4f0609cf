import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import type { Command } from '../../commands/context.ts';
import { help } from '../../commands/help.ts';
import { commands } from '../../commands/index.ts';
import type { CommandInput } from '../../src/discord/commands/input.ts';
import { textsIn } from '../../src/texts/texts.ts';
import { contextFor, fakeLookup, inputOf } from './command-fixture.ts';

const en = textsIn('en-US');

const server = { name: 'server', lookup: fakeLookup('server', {}) };

async function textOf(changes: Partial<CommandInput>, all: readonly Command[] = commands, listings = [server]) {
  const commandId = (name: string) => (name === 'canvote' ? '300000000000000001' : null);
  const { text } = await help.execute(inputOf({}, changes), {
    ...contextFor(...listings),
    commands: all,
    commandId,
  });
  return text;
}

/** A command with many options, as long as Discord allows. */
function longCommand(number: number): Command {
  const options = Array.from({ length: 5 }, (_, index) => ({
    type: ApplicationCommandOptionType.String as const,
    name: `option${index}`,
    description: 'd'.repeat(100),
  }));
  return {
    ...help,
    name: `long${number}`,
    describe: () => ({ description: `${number} ${'x'.repeat(90)}`, options }),
    execute: () => Promise.reject(new Error('unused')),
  };
}

describe('/help', () => {
  it('is visible only to the member who runs it', () => expect(help.visibility).toBe('private'));

  it('lists each command with its options, as a mention if its id is known', async () => {
    const entries = (await textOf({})).split('\n\n');
    expect([entries[0], entries.find((entry) => entry.startsWith('**/reviews**'))]).toEqual([
      `</canvote:300000000000000001> \\[user\\]\n${en.canVote.description}\n-# user: ${en.canVote.userOption}`,
      expect.stringContaining(`**/reviews** \\[sort\\] \\[stars\\] \\[limit\\]\n${en.reviews.description}`),
    ]);
    expect(entries).toHaveLength(commands.filter((command) => command.defaultMemberPermissions === undefined).length);
  });

  it('shows the commands for managers to managers alone', async () => {
    expect(await textOf({})).not.toContain('/award');
    const text = await textOf({ isManager: true });
    const [everyone = '', managers = ''] = text.split('**For members with the permission Manage Server**');
    expect(everyone).toContain('**For everyone**\n\n</canvote');
    expect(managers).toMatch(/^\n\n\*\*\/award\*\* user credits reason\n/);
  });

  it('omits commands that no listing supports', async () => {
    expect(await textOf({}, commands, [])).not.toContain('/reviews');
  });

  it('lists in a direct message only what can be run there', async () => {
    const text = await textOf({ guildId: null, roles: null });
    expect(text).toContain('</canvote');
    expect(text).not.toContain('/award');
  });

  it.each([10, 60])('shows only whole entries if there are %i long ones', async (count) => {
    const all = Array.from({ length: count }, (_, index) => longCommand(index));
    const entries = (await textOf({}, all)).split('\n\n');
    expect(entries.join('\n\n').length).toBeLessThanOrEqual(4_096);
    for (const [index, entry] of entries.entries()) {
      expect(entry).toMatch(new RegExp(`^\\*\\*/long${index}\\*\\* .*\\n${index} x{90}$`));
    }
    expect(entries.length).toBeGreaterThan(count === 10 ? 9 : 20);
  });
});
