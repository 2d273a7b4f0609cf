import { ButtonStyle, ChannelType, ComponentType, Events, InteractionContextType, type TextChannel } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { Repertoire } from '../testing/bot.ts';
import { inhabited, localDiscord, rest } from '../testing/local.ts';
import { Client } from '../testing/raw-gateway.ts';

const guildMembers = 2;

/** Replies to /where with a button, which adds who presses it. */
const threadBot: Repertoire = {
  commands: [{ name: 'where', description: 'Names the channel.', contexts: [InteractionContextType.Guild] }],
  intents: [guildMembers],
  async answer(interaction) {
    const name = interaction.inCachedGuild() ? interaction.channel?.name : 'no guild';
    if (interaction.isChatInputCommand()) {
      const button = {
        type: ComponentType.Button,
        style: ButtonStyle.Primary,
        label: 'Again',
        customId: 'again',
      } as const;
      await interaction.reply({
        content: `Here is ${name}`,
        components: [{ type: ComponentType.ActionRow, components: [button] }],
      });
    } else if (interaction.isButton()) await interaction.update(`Still ${name}`);
  },
};

async function withThreads(options: Parameters<typeof inhabited>[0] = {}) {
  const place = await inhabited({ grantedIntents: guildMembers, rateLimits: false, ...options }, threadBot);
  const channel = (await place.bot.channels.fetch(place.general)) as TextChannel;
  return { ...place, channel, ask: rest(place.discord) };
}

describe('a thread', () => {
  it('is started from a message, has its id, and is reported with the message', async () => {
    const { bot, channel } = await withThreads();
    const created = new Promise((resolve) => bot.once(Events.ThreadCreate, (...event) => resolve(event)));
    const message = await channel.send('Let us talk');
    const thread = await message.startThread({ name: 'Talk', autoArchiveDuration: 60 });
    expect(await created).toMatchObject([{ id: message.id, name: 'Talk', joined: true }, true]);
    expect(thread).toMatchObject({ id: message.id, parentId: channel.id, type: ChannelType.PublicThread });
    expect(thread.autoArchiveDuration).toBe(60);
    const again = await message.fetch(true);
    expect(again).toMatchObject({ hasThread: true, thread: { id: message.id } });
    await expect(again.startThread({ name: 'Twice' })).rejects.toMatchObject({ code: 'MessageExistingThread' });
    expect((await thread.fetchStarterMessage())?.content).toBe('Let us talk');
  });

  it('without a message is announced in its channel, under its name', async () => {
    const { channel } = await withThreads();
    const thread = await channel.threads.create({ name: 'Public <@1>' });
    const [announced] = (await channel.messages.fetch({ limit: 1 })).values();
    expect(announced).toMatchObject({ content: 'Public <@1>', system: true, reference: { channelId: thread.id } });
    await thread.send({ content: 'inside', files: [{ attachment: Buffer.from('hello'), name: 'note.txt' }] });
    const [inside] = (await thread.messages.fetch()).values();
    expect(inside).toMatchObject({ content: 'inside', channelId: thread.id, position: 0 });
    expect(inside?.attachments.size).toBe(1);
  });

  it('that is private is only for those who were added', async () => {
    const { discord, channel, mira, tomas, bot, ask } = await withThreads();
    const thread = await channel.threads.create({ name: 'Secret', type: ChannelType.PrivateThread, invitable: false });
    const where = (userId: string) => discord.runCommand({ name: 'where', userId, channelId: thread.id });
    expect(() => where(tomas.id)).toThrow('The member cannot see this channel');
    const added = new Promise<unknown>((resolve) => {
      bot.once(Events.ThreadMembersUpdate, (members) => resolve([...members.keys()]));
    });
    await thread.members.add(tomas.id);
    expect(await added).toEqual([tomas.id]);
    expect((await where(tomas.id).settled).content).toBe('Here is Secret');
    await thread.members.remove(tomas.id);
    expect(() => where(tomas.id)).toThrow('The member cannot see this channel');
    // The owner of the guild sees every thread.
    expect((await where(mira.id).settled).content).toBe('Here is Secret');
    await thread.leave();
    expect(await ask('GET', `/channels/${thread.id}`)).toMatchObject({ status: 403, json: { code: 50001 } });
  });

  it('is joined by a member who sends a message there, and left', async () => {
    const { discord, channel, bot, tomas, ask } = await withThreads();
    const started = new Promise<string>((resolve) => bot.once(Events.ThreadCreate, ({ id }) => resolve(id)));
    const id = discord.guild.startThread({ channelId: channel.id, userId: tomas.id, name: 'By Tomás' });
    expect(await started).toBe(id);
    expect(discord.messages(channel.id)).toMatchObject([{ type: 18, content: 'By Tomás', author: { id: tomas.id } }]);
    const membersOf = async () => (await ask('GET', `/channels/${id}/thread-members`)).json;
    const ids = (list: unknown) => (list as { user_id: string }[]).map(({ user_id }) => user_id);
    expect(ids(await membersOf())).toEqual([tomas.id]);
    const thread = await channel.threads.fetch(id);
    await thread?.send('hello');
    expect(ids(await membersOf())).toEqual([tomas.id, discord.applicationId]);
    await thread?.leave();
    expect(ids(await membersOf())).toEqual([tomas.id]);
    await thread?.join();
    expect(await ask('GET', `/channels/${id}`)).toMatchObject({ json: { member_count: 2, message_count: 1 } });
    await expect(thread?.members.remove(tomas.id)).rejects.toMatchObject({ code: 50013 });
  });

  it('is archived, and opens again with the next message, unless it is locked', async () => {
    const { discord, channel, bot, tomas } = await withThreads();
    const thread = await channel.threads.create({ name: 'Old' });
    const message = await thread.send('first');
    const archived = new Promise((resolve) => bot.once(Events.ThreadUpdate, (_, { archived }) => resolve(archived)));
    await thread.setArchived(true);
    expect(await archived).toBe(true);
    expect((await channel.threads.fetchActive()).threads.size).toBe(0);
    expect([...(await channel.threads.fetchArchived()).threads.keys()]).toEqual([thread.id]);
    await expect(message.edit('changed')).rejects.toMatchObject({ code: 50083 });
    await expect(thread.members.add(tomas.id)).rejects.toMatchObject({ code: 50083 });
    await thread.send('second');
    expect(await thread.fetch(true)).toMatchObject({ archived: false, messageCount: 2 });
    await expect(thread.setLocked(true)).rejects.toMatchObject({ code: 50013 });
    discord.faults.regainGuildPermission('manageThreads');
    await thread.edit({ locked: true, archived: true, name: 'Closed' });
    discord.faults.loseGuildPermission('manageThreads');
    await expect(thread.send('third')).rejects.toMatchObject({ code: 160_005 });
    await expect(thread.setArchived(false)).rejects.toMatchObject({ code: 50013 });
    expect(() => discord.runCommand({ name: 'where', userId: tomas.id, channelId: thread.id })).toThrow(/permission/);
    expect(await thread.fetch(true)).toMatchObject({ archived: true, locked: true, name: 'Closed' });
  });

  it('is the channel of a command and of a button in it', async () => {
    const { discord, channel, tomas } = await withThreads();
    const thread = await channel.threads.create({ name: 'Here' });
    const { settled } = discord.runCommand({ name: 'where', userId: tomas.id, channelId: thread.id });
    const reply = await settled;
    expect(reply).toMatchObject({ content: 'Here is Here', channel_id: thread.id });
    expect((await discord.clickButton(reply.id, 'again', tomas.id).settled).content).toBe('Still Here');
    expect(discord.channelName(thread.id)).toBe('#Here');
  });

  it('has the permissions of its channel, and one of its own to send messages', async () => {
    const { discord, channel } = await withThreads();
    const thread = await channel.threads.create({ name: 'Rules' });
    discord.faults.losePermission(channel.id, 'sendMessages');
    await thread.send('still possible');
    discord.faults.losePermission(channel.id, 'sendMessagesInThreads');
    await expect(thread.send('x')).rejects.toMatchObject({ code: 50013 });
    discord.faults.losePermission(channel.id, 'createPublicThreads');
    await expect(channel.threads.create({ name: 'x' })).rejects.toMatchObject({ code: 50013 });
    discord.faults.losePermission(channel.id, 'viewChannel');
    await expect(thread.send('x')).rejects.toMatchObject({ code: 50001 });
  });

  it('survives a restart with its messages and members, and is in the guild that a bot receives', async () => {
    const { discord, channel, tomas } = await withThreads();
    const thread = await channel.threads.create({ name: 'Kept', type: ChannelType.PrivateThread });
    await thread.members.add(tomas.id);
    await thread.send('still here');
    const next = await localDiscord({ initialState: JSON.parse(JSON.stringify(discord.exportState())) });
    expect(next.messages(thread.id)).toMatchObject([{ content: 'still here' }]);
    const gateway = await Client.ready(next);
    expect(await gateway.dispatch('GUILD_CREATE')).toMatchObject({
      threads: [{ id: thread.id, name: 'Kept', member_count: 2, member: { user_id: next.applicationId } }],
    });
  });

  it('is deleted by who may manage threads, and with its channel', async () => {
    const { discord, channel, bot } = await withThreads();
    const thread = await channel.threads.create({ name: 'Short' });
    await expect(thread.delete()).rejects.toMatchObject({ code: 50013 });
    discord.faults.regainGuildPermission('manageThreads');
    const deleted = new Promise((resolve) => bot.once(Events.ThreadDelete, ({ id }) => resolve(id)));
    await thread.delete();
    expect(await deleted).toBe(thread.id);
    const other = await channel.threads.create({ name: 'Other' });
    discord.faults.deleteChannel(channel.id);
    await expect(other.send('x')).rejects.toMatchObject({ code: 10003 });
  });
});

describe('the endpoints of threads', () => {
  it('reject what Discord rejects, with its codes', async () => {
    const discord = await localDiscord({ rateLimits: false });
    const ask = rest(discord);
    const { general } = discord.channels;
    const { id: message } = await ask('POST', `/channels/${general}/messages`, { content: 'x' });
    const ofMessage = `/channels/${general}/messages/${message}/threads`;
    expect(await ask('POST', ofMessage, { name: '' })).toMatchObject({ status: 400, json: { code: 50035 } });
    expect(await ask('POST', ofMessage, { name: 'One' })).toMatchObject({
      status: 201,
      json: { id: message, type: 11, thread_metadata: { archived: false, locked: false } },
    });
    expect(await ask('POST', ofMessage, { name: 'Two' })).toMatchObject({ status: 400, json: { code: 160_004 } });
    const inThread = `/channels/${message}/threads`;
    expect(await ask('POST', inThread, { name: 'x' })).toMatchObject({ json: { code: 50024 } });
    // The default type is that of a private thread.
    expect(await ask('POST', `/channels/${general}/threads`, { name: 'x' })).toMatchObject({ json: { type: 12 } });
    expect(await ask('GET', `/channels/${general}/thread-members`)).toMatchObject({ json: { code: 50024 } });
    const members = `/channels/${message}/thread-members`;
    expect(await ask('PUT', `${members}/1`)).toMatchObject({ status: 404, json: { code: 10007 } });
    expect(await ask('PATCH', `/channels/${message}`, { auto_archive_duration: 7 })).toMatchObject({ status: 400 });
    expect(await ask('GET', `/guilds/${discord.guildId}/threads/active`)).toMatchObject({
      json: { threads: [{ type: 12 }, { id: message }], members: { length: 2 } },
    });
    await ask('PATCH', `/channels/${message}`, { archived: true });
    expect(await ask('PUT', `${members}/@me`)).toMatchObject({ status: 400, json: { code: 50083 } });
    expect(await ask('GET', `/channels/${general}/threads/archived/public?limit=2`)).toMatchObject({
      json: { threads: [{ id: message }], has_more: false },
    });
    expect(await ask('GET', `/channels/${general}/threads/archived/private`)).toMatchObject({ json: { code: 50013 } });
    expect(await ask('DELETE', `/channels/${general}`)).toMatchObject({ status: 405 });
  });
});
