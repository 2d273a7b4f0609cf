import { type Client, Events, GatewayIntentBits, type GuildMember, type Interaction } from 'discord.js';
import { describe, expect, it, vi } from 'vitest';
import { intent } from '../src/flags.ts';
import { persistedState } from '../src/persistence.ts';
import type { Repertoire } from '../testing/bot.ts';
import { inhabited, localDiscord, rest } from '../testing/local.ts';
import { Client as RawClient } from '../testing/raw-gateway.ts';

/** Replies with the names of the member's roles that the interaction contains. */
const roleReader: Repertoire = {
  commands: [{ name: 'roles', description: 'Names your roles.' }],
  async answer(interaction: Interaction) {
    if (!interaction.isChatInputCommand() || !interaction.inCachedGuild()) return;
    const names = interaction.member.roles.cache.filter(({ name }) => name !== '@everyone').map(({ name }) => name);
    await interaction.reply(names.join(', ') || 'none');
  },
};

async function withMember() {
  const { discord, bot, tomas, general } = await inhabited({}, roleReader);
  const guild = await bot.guilds.fetch(discord.guildId);
  const member = await guild.members.fetch(tomas.id);
  return { discord, bot, guild, member, tomas, general };
}

const timeout = { timeout: 10_000, interval: 20 };

describe('the roles of a member', () => {
  it('are given and taken with a reason, by the bot over discord.js', async () => {
    const { discord, member, tomas } = await withMember();
    const { voter, vip } = discord.roles;
    await member.roles.add(voter, 'voted for Lantern Harbour – 12 h');
    await member.roles.add(vip);
    expect(discord.rolesOf(tomas.id)).toEqual([voter, vip]);
    const [given] = discord.requests.filter(({ method }) => method === 'PUT').slice(-2);
    expect(decodeURIComponent(given?.headers['x-audit-log-reason'] ?? '')).toBe('voted for Lantern Harbour – 12 h');
    expect(given?.status).toBe(204);
    await member.roles.remove(voter);
    expect(discord.rolesOf(tomas.id)).toEqual([vip]);
    const fetched = await member.guild.members.fetch({ user: tomas.id, force: true });
    expect(fetched.roles.cache.map(({ name }) => name).sort()).toEqual(['@everyone', 'VIP']);
  });

  it('are in the interactions that the member sends', async () => {
    const { discord, member, tomas, general } = await withMember();
    const use = { name: 'roles', userId: tomas.id, channelId: general };
    expect((await discord.runCommand(use).settled).content).toBe('none');
    await member.roles.add(discord.roles.regular);
    expect((await discord.runCommand(use).settled).content).toBe('Regular');
  });

  it.each([
    ['above its own', 'moderator'],
    ['its own, which is managed', 'bot'],
  ] as const)('do not include a role %s', async (_what, role) => {
    const { discord, member, tomas } = await withMember();
    await expect(member.roles.add(discord.roles[role])).rejects.toMatchObject({ status: 403, code: 50013 });
    await expect(member.roles.remove(discord.roles[role])).rejects.toMatchObject({ status: 403, code: 50013 });
    expect(discord.rolesOf(tomas.id)).toEqual([]);
  });

  it('do not include @everyone, unknown roles and unknown members', async () => {
    const { discord, tomas } = await withMember();
    const ask = rest(discord);
    const put = async (userId: string, roleId: string) =>
      await ask('PUT', `/guilds/${discord.guildId}/members/${userId}/roles/${roleId}`);
    expect(await put(tomas.id, discord.guildId)).toMatchObject({ status: 403, json: { code: 50013 } });
    expect(await put(tomas.id, '404')).toMatchObject({ status: 404, json: { code: 10011 } });
    expect(await put('404', discord.roles.voter)).toMatchObject({ status: 404, json: { code: 10007 } });
    expect(await put(tomas.id, discord.roles.voter)).toMatchObject({ status: 204, json: undefined });
    expect(await put(tomas.id, discord.roles.voter)).toMatchObject({ status: 204 });
    expect(discord.rolesOf(tomas.id)).toEqual([discord.roles.voter]);
  });

  it('need MANAGE_ROLES, and a role of the bot above them', async () => {
    const { discord, member, tomas } = await withMember();
    const { bot, voter, vip } = discord.roles;
    discord.guild.moveRole(bot, 1);
    await expect(member.roles.add(voter)).rejects.toMatchObject({ status: 403, code: 50013 });
    discord.guild.moveRole(bot, 2);
    await member.roles.add(voter);
    await expect(member.roles.add(vip)).rejects.toMatchObject({ status: 403, code: 50013 });
    discord.faults.loseGuildPermission('manageRoles');
    await expect(member.roles.remove(voter)).rejects.toMatchObject({ status: 403, code: 50013 });
    discord.faults.regainGuildPermission('manageRoles');
    await member.roles.remove(voter);
    expect(discord.rolesOf(tomas.id)).toEqual([]);
  });
});

describe('a role', () => {
  it('can be moved and deleted, which the bot learns', async () => {
    const { discord, guild, member, tomas } = await withMember();
    const { voter, vip, bot } = discord.roles;
    await member.roles.add(voter);
    discord.guild.moveRole(voter, 6);
    await vi.waitFor(() => expect(guild.roles.cache.get(voter)?.position).toBe(6), timeout);
    await vi.waitFor(() => expect(guild.roles.cache.get(vip)?.position).toBe(4), timeout);
    await vi.waitFor(() => expect(guild.roles.cache.get(bot)?.position).toBe(5), timeout);
    expect(guild.roles.cache.get(voter)?.editable).toBe(false);
    const ordered = (await guild.roles.fetch()).sort((one, other) => one.position - other.position);
    expect(ordered.map(({ position }) => position)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    discord.guild.deleteRole(voter);
    await vi.waitFor(() => expect(guild.roles.cache.has(voter)).toBe(false), timeout);
    expect(discord.rolesOf(tomas.id)).toEqual([]);
    await expect(member.roles.add(voter)).rejects.toMatchObject({ status: 404, code: 10011 });
    expect(() => discord.guild.deleteRole(bot)).toThrow('cannot be deleted');
    expect(() => discord.guild.deleteRole(discord.guildId)).toThrow('no such role');
  });
});

describe('a member who leaves', () => {
  it('is unknown to the guild until joining again, without roles', async () => {
    const { discord, member, tomas, general } = await withMember();
    const [owner] = discord.members;
    await member.roles.add(discord.roles.vip);
    discord.guild.leave(tomas.id);
    await expect(member.roles.add(discord.roles.voter)).rejects.toMatchObject({ status: 404, code: 10007 });
    await expect(member.guild.members.fetch({ user: tomas.id, force: true })).rejects.toMatchObject({ code: 10007 });
    expect((await member.client.users.fetch(tomas.id, { force: true })).username).toBe('tomas.k');
    expect(() => discord.runCommand({ name: 'roles', userId: tomas.id, channelId: general })).toThrow('cannot see');
    expect(() => discord.guild.leave(tomas.id)).toThrow('not a member');
    expect(() => discord.guild.leave(owner?.id ?? '')).toThrow('owner');
    discord.guild.rejoin(tomas.id);
    expect(discord.rolesOf(tomas.id)).toEqual([]);
    expect(() => discord.guild.rejoin(tomas.id)).toThrow('has left');
    await member.guild.members.fetch({ user: tomas.id, force: true });
  });

  it('is reported only with the privileged intent, as are changed roles', async () => {
    const discord = await localDiscord({ grantedIntents: intent.guildMembers });
    const [, tomas] = discord.members;
    const path = `/guilds/${discord.guildId}/members/${tomas?.id}/roles/${discord.roles.voter}`;
    const entitled = await RawClient.ready(discord, intent.guilds | intent.guildMembers);
    const other = await RawClient.ready(discord, intent.guilds);
    await rest(discord)('PUT', path);
    expect(await entitled.dispatch('GUILD_MEMBER_UPDATE')).toMatchObject({
      guild_id: discord.guildId,
      user: { id: tomas?.id },
      roles: [discord.roles.voter],
    });
    await rest(discord)('PUT', path);
    discord.guild.leave(tomas?.id ?? '');
    expect(await entitled.dispatch('GUILD_MEMBER_REMOVE')).toMatchObject({ user: { id: tomas?.id } });
    discord.guild.rejoin(tomas?.id ?? '');
    expect(await entitled.dispatch('GUILD_MEMBER_ADD')).toMatchObject({ user: { id: tomas?.id }, roles: [] });
    discord.guild.moveRole(discord.roles.voter, 2);
    await other.dispatch('GUILD_ROLE_UPDATE');
    expect(other.unread.map(({ t }) => t)).toEqual(['GUILD_CREATE', 'GUILD_ROLE_UPDATE']);
    expect(entitled.unread.filter(({ t }) => t === 'GUILD_MEMBER_UPDATE')).toEqual([]);
  });

  it('updates the caches of discord.js', async () => {
    const intents = [GatewayIntentBits.GuildMembers];
    const { discord, bot, tomas } = await inhabited(
      { grantedIntents: intent.guildMembers },
      { ...roleReader, intents },
    );
    const changed = nextMember(bot, Events.GuildMemberUpdate);
    await rest(discord)('PUT', `/guilds/${discord.guildId}/members/${tomas.id}/roles/${discord.roles.vip}`);
    expect((await changed).roles.cache.has(discord.roles.vip)).toBe(true);
    const left = nextMember(bot, Events.GuildMemberRemove);
    discord.guild.leave(tomas.id);
    expect((await left).id).toBe(tomas.id);
  });
});

/** The member of the next event, as it is after it. */
function nextMember(bot: Client, event: Events.GuildMemberUpdate | Events.GuildMemberRemove): Promise<GuildMember> {
  return new Promise((resolve) => {
    bot.once(event as string, (...members: GuildMember[]) => resolve(members.at(-1) as GuildMember));
  });
}

describe('saved state', () => {
  it('contains roles, their order, who has left and who accepts no direct messages', async () => {
    const first = await localDiscord();
    const [, tomas, aiko] = first.members.map(({ id }) => id) as [string, string, string];
    const { guildId, roles } = first;
    await rest(first)('PUT', `/guilds/${guildId}/members/${aiko}/roles/${roles.voter}`);
    first.guild.moveRole(roles.bot, 2);
    first.guild.deleteRole(roles.vip);
    first.guild.leave(tomas);
    first.guild.acceptDirectMessages(aiko, false);
    const saved = JSON.parse(JSON.stringify(first.exportState()));
    const second = await localDiscord({ initialState: persistedState.parse(saved) });
    expect(second.exportState()).toEqual(first.exportState());
    expect(second.rolesOf(aiko)).toEqual([roles.voter]);
    const ask = rest(second);
    const put = async (userId: string, roleId: string) =>
      (await ask('PUT', `/guilds/${guildId}/members/${userId}/roles/${roleId}`)).json?.['code'];
    expect(await put(aiko, roles.regular)).toBe(50013);
    expect(await put(aiko, roles.vip)).toBe(10011);
    expect(await put(tomas, roles.voter)).toBe(10007);
    const { rolePositions: _, deletedRoles: __, absentUsers: ___, closedDirectMessages: ____, ...older } = saved;
    const upgraded = await localDiscord({ initialState: persistedState.parse(older) });
    expect(upgraded.exportState().absentUsers).toEqual([]);
  });
});
