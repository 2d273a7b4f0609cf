import type { Message } from 'local-discord';
import { expect, it, vi } from 'vitest';
import { controlsOf, textsOf } from '../../../packages/local-discord/src/objects.ts';
import { voteSecret } from '../../support/listings.ts';
import { environmentWith, harbour } from '../../support/listings-file.ts';
import { localDiscord } from '../../support/local-discord.ts';
import { postVote, startApp } from '../../support/start-app.ts';

const patience = { timeout: 30_000, interval: 50 };

/** The program, with a manager whose highest role is VIP. The owner's channel is that for premium. */
async function startProgram(rewards: object = {}) {
  const discord = await localDiscord();
  const [, manager, voter] = discord.members;
  if (manager === undefined || voter === undefined) throw new Error('The local Discord has no members.');
  discord.guild.setRolePermissions(discord.roles.vip, ['manageGuild']);
  discord.guild.setRole(manager.id, discord.roles.vip, true);
  const listing = {
    ...{ ...harbour, guildId: discord.guildId, ownerChannelId: discord.channels.premium },
    ...{ voteSecrets: [voteSecret], rewards },
  };
  const { url } = await startApp({
    ...{ ...environmentWith([listing]), DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl },
  });
  await vi.waitFor(() => expect(discord.commands().map(({ name }) => name)).toContain('setup'), patience);
  await vi.waitFor(() => expect(discord.connected).toBe(true), patience);

  const vote = async (userId: string) => expect((await postVote(url, userId)).status).toBe(200);
  return { discord, manager, voter, vote };
}

/** `/setup` as a member uses it. */
async function openSetup({ discord }: Awaited<ReturnType<typeof startProgram>>, userId: string) {
  const channelId = discord.channels.general;
  let shown: Message = await discord.runCommand({ name: 'setup', userId, channelId }).settled;
  const idOf = (label: string) =>
    controlsOf(shown.components).find((each) => 'label' in each && each.label === label)?.custom_id ?? label;
  const text = () => textsOf(shown.components).join('\n');
  return {
    async press(label: string) {
      shown = await discord.clickButton(shown.id, idOf(label), userId).settled;
      return text();
    },
    async submit(label: string, values: Readonly<Record<string, string | readonly string[]>>) {
      const opened = discord.clickButton(shown.id, idOf(label), userId);
      await opened.response;
      shown = await discord.submitModal({ interactionId: opened.id, userId, values }).settled;
      return text();
    },
  };
}

const voterRole = (...role: readonly string[]) => ({
  ...{ voterRole: role, voterRoleFor: '12h', milestoneRoles: 'all', premiumRole: [] },
});

it('a manager cannot bring back a role by Undo that has got permissions of a moderator', async () => {
  const program = await startProgram();
  const { discord, manager, vote, voter } = program;
  const { regular, veteran } = discord.roles;
  const first = await openSetup(program, manager.id);
  await first.press('Roles');
  expect(await first.submit('Edit', voterRole(regular))).toContain('Saved');
  const second = await openSetup(program, manager.id);
  await second.press('Roles');
  expect(await second.submit('Edit', voterRole(veteran))).toContain('Saved');
  discord.guild.setRolePermissions(regular, ['administrator']);
  expect(await second.press('Undo')).toContain('permissions of a moderator');
  await vote(voter.id);
  await vi.waitFor(() => expect(discord.rolesOf(voter.id)).toEqual([veteran]), patience);
});

it('a manager cannot configure a role above the own ones, nor bring one back; the owner of the server can', async () => {
  const program = await startProgram();
  const { discord, manager } = program;
  const { regular, voter, premium } = discord.roles;
  const [owner] = discord.members;
  discord.guild.setRolePermissions(voter, ['manageGuild']);
  discord.guild.setRole(manager.id, discord.roles.vip, false);
  discord.guild.setRole(manager.id, voter, true);
  const setup = await openSetup(program, manager.id);
  await setup.press('Roles');
  expect(await setup.submit('Edit', voterRole(regular))).toContain('above your highest role');
  expect(await setup.submit('Edit again', voterRole(premium))).toContain('above your highest role');
  const ofOwner = await openSetup(program, owner?.id ?? '');
  await ofOwner.press('Roles');
  expect(await ofOwner.submit('Edit', voterRole(regular))).toContain('Saved');
  await ofOwner.press('Roles');
  expect(await ofOwner.submit('Edit', voterRole())).not.toContain('above');
  const later = await openSetup(program, manager.id);
  await later.press('History');
  expect(await later.press('Undo')).toContain('above your highest role');
  const text = JSON.stringify({ listings: [{ name: harbour.name, rewards: { premiumRoles: { '*': premium } } }] });
  expect(await (await openSetup(program, manager.id)).submit('Import', { settings: text })).toContain(
    'above your highest role',
  );
});
