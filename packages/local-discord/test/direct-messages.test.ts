import { type Interaction, MessageFlags } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { Repertoire } from '../testing/bot.ts';
import { inhabited } from '../testing/local.ts';

/** Describes where an interaction came from. */
const placeTeller: Repertoire = {
  commands: [
    { name: 'where', description: 'Says where you are.' },
    { name: 'here', description: 'Only in the guild.', contexts: [0] },
  ],
  async answer(interaction: Interaction) {
    if (!interaction.isRepliable()) return;
    const { context, member, guildId, user, authorizingIntegrationOwners: owners } = interaction;
    const place = { context, member, guildId, user: user.username, owners };
    await interaction.reply({ content: JSON.stringify(place), flags: MessageFlags.Ephemeral });
  },
};

const button = {
  type: 1,
  components: [{ type: 2, style: 1, custom_id: 'stop', label: 'Stop' }],
} as const;

async function withConversation() {
  const { discord, bot, tomas } = await inhabited({}, placeTeller);
  const user = await bot.users.fetch(tomas.id);
  const channel = await user.createDM();
  return { discord, bot, tomas, user, channel };
}

describe('a direct message', () => {
  it('is sent, edited, read and deleted over discord.js', async () => {
    const { discord, tomas, user, channel } = await withConversation();
    const sent = await user.send({ content: 'You can vote again.', components: [button] });
    expect(sent.channelId).toBe(channel.id);
    expect(discord.directMessages(tomas.id)).toMatchObject([{ content: 'You can vote again.' }]);
    await sent.edit({ content: 'You voted.', components: [] });
    const history = await channel.messages.fetch({ limit: 5, cache: false });
    expect(history.map(({ content }) => content)).toEqual(['You voted.']);
    await sent.delete();
    expect(discord.directMessages(tomas.id)).toEqual([]);
  });

  it('is validated like any message', async () => {
    const { user } = await withConversation();
    await expect(user.send({ content: 'x'.repeat(2001) })).rejects.toMatchObject({ status: 400, code: 50035 });
    await expect(user.send({ content: '' })).rejects.toMatchObject({ code: 50006 });
  });

  it('is refused by a user who accepts none, and by a user who has left', async () => {
    const { discord, tomas, user, channel } = await withConversation();
    const sent = await user.send('first');
    discord.guild.acceptDirectMessages(tomas.id, false);
    await expect(user.send('second')).rejects.toMatchObject({ status: 403, code: 50007 });
    await sent.edit('changed');
    discord.guild.leave(tomas.id);
    await expect(user.send('third')).rejects.toMatchObject({ status: 403, code: 50278 });
    expect((await user.createDM(true)).id).toBe(channel.id);
    discord.guild.rejoin(tomas.id);
    await expect(user.send('fourth')).rejects.toMatchObject({ code: 50007 });
    discord.guild.acceptDirectMessages(tomas.id, true);
    await user.send('fifth');
    expect(discord.directMessages(tomas.id).map(({ content }) => content)).toEqual(['changed', 'fifth']);
  });

  it('cannot be sent to nobody or to the bot itself', async () => {
    const { bot } = await withConversation();
    await expect(bot.rest.post('/users/@me/channels', { body: { recipient_id: '404' } })).rejects.toMatchObject({
      code: 50033,
    });
    const self = { body: { recipient_id: bot.user.id } };
    await expect(bot.rest.post('/users/@me/channels', self)).rejects.toMatchObject({ code: 50033 });
  });
});

describe('an interaction in direct messages', () => {
  it('has a user, no member, and the context of the bot', async () => {
    const { discord, tomas, user, channel } = await withConversation();
    const { id } = await user.send({ content: 'You can vote again.', components: [button] });
    const place = { context: 1, member: null, guildId: null, user: 'tomas.k', owners: { 0: '0' } };
    const where = { userId: tomas.id, channelId: channel.id };
    for (const used of [discord.runCommand({ name: 'where', ...where }), discord.clickButton(id, 'stop', tomas.id)]) {
      expect(JSON.parse((await used.settled).content)).toEqual(place);
    }
    const [created] = discord.dispatches.filter(({ t }) => t === 'INTERACTION_CREATE').slice(-1);
    expect(created?.d).toMatchObject({ user: { id: tomas.id }, context: 1, channel: { type: 1 } });
    expect(created?.d).not.toHaveProperty('member');
    expect(created?.d).not.toHaveProperty('guild_id');
    expect(() => discord.runCommand({ name: 'here', ...where })).toThrow('/here cannot be used in this channel');
  });

  it('is answered even if the user accepts no direct messages or has left the guild', async () => {
    const { discord, tomas, channel } = await withConversation();
    discord.guild.acceptDirectMessages(tomas.id, false);
    discord.guild.leave(tomas.id);
    const used = discord.runCommand({ name: 'where', userId: tomas.id, channelId: channel.id });
    expect((await used.settled).content).toContain('tomas.k');
  });

  it('is possible only for the recipient', async () => {
    const { discord, channel } = await withConversation();
    const [mira] = discord.members;
    const use = { name: 'where', userId: mira?.id ?? '', channelId: channel.id };
    expect(() => discord.runCommand(use)).toThrow('cannot see this channel');
  });
});
