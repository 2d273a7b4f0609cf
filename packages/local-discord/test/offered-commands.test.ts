import { describe, expect, it } from 'vitest';
import type { Repertoire } from '../testing/bot.ts';
import { inhabited } from '../testing/local.ts';
import { follow, post } from '../testing/page-client.ts';

const manageGuild = String(1n << 5n);

/** Commands for everyone, for managers, for administrators, and of the app that members add to their account. */
const repertoire: Repertoire = {
  commands: [
    { name: 'canvote', description: 'For everyone.' },
    { name: 'setup', description: 'For managers.', default_member_permissions: manageGuild, contexts: [0] },
    { name: 'panic', description: 'For administrators.', default_member_permissions: '0', contexts: [0] },
    { name: 'anywhere', description: 'Of the account.', integration_types: [0, 1], contexts: [0, 1, 2] },
    {
      name: 'manage',
      description: 'Of the account, for managers.',
      default_member_permissions: manageGuild,
      integration_types: [1],
      contexts: [0],
    },
  ],
  async answer(interaction) {
    if (interaction.isRepliable()) await interaction.reply('Done.');
  },
};

interface Offer {
  readonly kind: string;
  readonly offered: Readonly<Record<string, readonly string[]>>;
}

/** The names of the commands that the page offers a member in the channel of a kind. */
async function pageOf(origin: string) {
  const state = await (await follow(origin))(({ kind }) => kind === 'full_state');
  const commands = state['commands'] as readonly { readonly id: string; readonly name: string }[];
  const channels = state['channels'] as readonly Offer[];
  return (kind: string, userId: string) => {
    const ids = channels.find((channel) => channel.kind === kind)?.offered[userId] ?? [];
    return commands.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
  };
}

describe('the commands that are offered to a member', () => {
  it('depend on the permissions and the place, as on Discord', async () => {
    const { discord, mira, tomas } = await inhabited({ page: true }, repertoire);
    const [, , aiko] = discord.members;
    await post(discord.origin, '/page/conversations', { userId: tomas.id });
    const offered = await pageOf(discord.origin);
    expect(offered('guild', mira.id)).toEqual(['canvote', 'setup', 'panic', 'anywhere', 'manage']);
    expect(offered('guild', tomas.id)).toEqual(['canvote', 'anywhere']);
    // Tomás owns the other guild.
    expect(offered('other_guild', tomas.id)).toEqual(['anywhere', 'manage']);
    expect(offered('other_guild', aiko?.id ?? '')).toEqual(['anywhere']);
    expect(offered('group', mira.id)).toEqual(['anywhere']);
    expect(offered('direct', tomas.id)).toEqual(['canvote', 'anywhere']);
    expect(offered('direct', mira.id)).toEqual([]);
  });

  it('are all for the owner of the guild, who needs no role', async () => {
    const { discord, mira } = await inhabited({ page: true }, repertoire);
    discord.guild.setRole(mira.id, discord.roles.owner, false);
    const offered = await pageOf(discord.origin);
    expect(offered('guild', mira.id)).toEqual(['canvote', 'setup', 'panic', 'anywhere', 'manage']);
  });

  it('are none in a guild that the member has left', async () => {
    const { discord, tomas } = await inhabited({ page: true }, repertoire);
    discord.guild.leave(tomas.id);
    expect((await pageOf(discord.origin))('guild', tomas.id)).toEqual([]);
  });

  it('are the ones that can be sent; others are rejected with the reason', async () => {
    const { discord, mira, tomas, general } = await inhabited({ page: true }, repertoire);
    const { otherGuild } = discord.channels;
    const run = async (name: string, userId: string, channelId: string) =>
      JSON.parse((await post(discord.origin, '/page/commands', { name, userId, channelId, options: {} })).text);
    const rejected = (error: string) => ({ error });
    expect(await run('panic', mira.id, general)).toEqual({ interactionId: expect.any(String) });
    for (const name of ['setup', 'panic']) {
      const message = `You do not have permission to use /${name}`;
      expect(await run(name, tomas.id, general)).toEqual(rejected(message));
    }
    expect(await run('canvote', mira.id, otherGuild)).toEqual(rejected('/canvote cannot be used in this channel'));
    expect(await run('nonsense', mira.id, otherGuild)).toEqual(rejected('Unknown command: /nonsense'));
    expect(await run('manage', tomas.id, otherGuild)).toEqual({ interactionId: expect.any(String) });
    expect(await run('manage', mira.id, otherGuild)).toEqual(rejected('You do not have permission to use /manage'));
  });
});
