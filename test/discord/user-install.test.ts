import { MessageFlags } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import type { CommandInput } from '../../src/discord/commands/command.ts';
import { command, connectedBot, hello } from '../support/bot.ts';

/** A bot with a public command for everywhere and one for guilds, which collect their inputs. */
async function installedBot() {
  const inputs: CommandInput[] = [];
  const execute = async (input: CommandInput) => {
    inputs.push(input);
    return { ...hello, buttons: [{ kind: 'action', action: 'again', label: 'Again' } as const] };
  };
  const anywhere = command({ name: 'anywhere', availability: 'everywhere', actions: ['again'], execute });
  const connected = await connectedBot([anywhere, command({ name: 'here', execute })], { notice: hello });
  const { discord, member } = connected;
  const runIn = (channelId: string, name = 'anywhere') => discord.runCommand({ name, userId: member.id, channelId });
  return { ...connected, inputs, runIn };
}

describe('a command of an app that a member has added to their account', () => {
  it.each(['otherGuild', 'group'] as const)('replies to the member alone and knows no guild (%s)', async (place) => {
    const { discord, inputs, runIn, member } = await installedBot();
    const used = runIn(discord.channels[place]);
    const { flags } = await used.settled;
    expect(flags & MessageFlags.Ephemeral).toBe(MessageFlags.Ephemeral);
    expect(inputs).toMatchObject([
      { userId: member.id, guildId: null, roles: null, isManager: false, guildLocale: null },
    ]);
  });

  it('treats its components in the same way', async () => {
    const { discord, inputs, runIn, member } = await installedBot();
    const { id, components } = await runIn(discord.channels.otherGuild).settled;
    const [row] = components;
    const [button] = row?.type === 1 ? row.components : [];
    const customId = button !== undefined && 'custom_id' in button ? (button.custom_id ?? '') : '';
    const pressed = await discord.clickButton(id, customId, member.id).settled;
    expect(pressed.flags & MessageFlags.Ephemeral).toBe(MessageFlags.Ephemeral);
    expect(inputs[1]).toMatchObject({ action: 'again', guildId: null, roles: null });
  });

  it('knows the guild where the guild has the app, too', async () => {
    const { discord, inputs, runIn } = await installedBot();
    const { flags } = await runIn(discord.channels.general).settled;
    expect(flags & MessageFlags.Ephemeral).toBe(0);
    expect(inputs).toMatchObject([{ guildId: discord.guildId, roles: expect.any(Array), guildLocale: 'en-US' }]);
  });
});
