import { systemClock } from '@tallyhook/platform/clock';
import { createLog } from '@tallyhook/platform/log';
import type { RoleIds } from 'local-discord';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findRoleProblems, openView, type SetupView } from '../../../commands/setup/view.ts';
import { importedValues } from '../../../commands/setup.ts';
import { isModerating } from '../../../src/discord/permissions.ts';
import { createDiscordRest } from '../../../src/discord/rest.ts';
import { createRoleAccess } from '../../../src/features/roles/parts.ts';
import { openStore } from '../../../src/features/store.ts';
import { textsIn } from '../../../src/texts/texts.ts';
import { inputOf } from '../../support/command-fixture.ts';
import { firstCommunity } from '../../support/communities.ts';
import { localDiscord } from '../../support/local-discord.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { setupServicesOver } from '../../support/setup-over.ts';

const silentLog = createLog({ level: 'silent', secrets: [] });
type Names = readonly (keyof RoleIds)[];

/** `/setup` of the local Discord's guild, as its manager with these roles uses it, and its owner. */
async function setUp(names: Names = ['regular']) {
  const discord = await localDiscord();
  const { guildId, members } = discord;
  const rest = createDiscordRest({ token: discord.token, apiUrl: discord.apiUrl });
  const roleAccess = createRoleAccess({ rest, clock: systemClock, log: silentLog });
  const store = await openStore(newSqliteUrl(), systemClock, { thread: false });
  onTestFinished(() => store.close());
  const services = setupServicesOver(store, { checks: { roleAccess } });
  const viewOf = (userId = '', roles: Names = []) => {
    const input = inputOf({}, { userId, roles: roles.map((name) => discord.roles[name]) });
    const standings = store.standingsIn(firstCommunity, 'UTC');
    return openView(input, { services, standings, texts: textsIn('en-US'), clock: systemClock }, guildId);
  };
  const byManager = await viewOf(members[1]?.id, names);
  const byOwner = await viewOf(members[0]?.id);
  const problems = async (view: SetupView, changes: Parameters<typeof findRoleProblems>[1]) =>
    (await findRoleProblems(view, changes)).map(({ text }) => text);
  const voterRole = (role: unknown, before: unknown = null) => [
    { path: 'rewards.voterRole', before, after: { role, for: '12h' } },
  ];
  return { discord, byManager, byOwner, problems, voterRole };
}

describe('the roles of a change', () => {
  it('are not above the highest role of the manager, except of the owner', async () => {
    const { discord, byManager, byOwner, problems, voterRole } = await setUp(['voter', 'regular']);
    const { voter, regular, veteran } = discord.roles;
    expect(await problems(byManager, voterRole(voter))).toEqual([]);
    expect(await problems(byManager, voterRole(regular))).toEqual([]);
    expect(await problems(byManager, voterRole(veteran))).toEqual([
      expect.stringContaining('is above your highest role'),
    ]);
    expect(await problems(byOwner, voterRole(veteran))).toEqual([]);
    const withoutRoles = { ...byManager, input: { ...byManager.input, roles: null } };
    expect(await problems(withoutRoles, voterRole(voter))).toHaveLength(1);
  });

  it('have no permissions of a moderator, whoever configures them', async () => {
    const { discord, byOwner, problems, voterRole } = await setUp();
    discord.guild.setRolePermissions(discord.roles.voter, ['manageMessages']);
    expect(await problems(byOwner, voterRole(discord.roles.voter))).toEqual([
      expect.stringContaining('has permissions of a moderator'),
    ]);
  });

  it('can be given by the bot', async () => {
    const { discord, byOwner, problems, voterRole } = await setUp();
    expect(await problems(byOwner, voterRole(discord.roles.moderator))).toEqual([
      expect.stringContaining('above the role of the bot'),
    ]);
    for (const id of [discord.roles.bot, discord.guildId]) {
      expect(await problems(byOwner, voterRole(id))).toEqual([expect.stringContaining('nobody can be given it')]);
    }
    for (const id of ['404', 404, ['404'], ` ${discord.roles.voter}`]) {
      expect(await problems(byOwner, voterRole(id))).toEqual([expect.stringContaining('no such role')]);
    }
  });

  it('are checked in every setting that gives one, not where a member needs one', async () => {
    const { discord, byManager, problems } = await setUp();
    const role = discord.roles.vip;
    const values = {
      'rewards.voterRole': { role, for: '12h' },
      'rewards.premiumRoles': { Gold: role },
      'rewards.milestones': [{ votes: 1, role }],
      shop: [{ id: 'vip', name: 'VIP', price: 1, role }],
    };
    for (const [path, after] of Object.entries(values)) {
      expect(await problems(byManager, [{ path, before: undefined, after }]), path).toHaveLength(1);
      expect(await problems(byManager, [{ path, before: after, after }]), path).toEqual([]);
      expect(await problems(byManager, [{ path, before: after, after: undefined }]), path).toEqual([]);
    }
    const needed = { shop: [{ id: 'key', needsRole: role }], 'rewards.multipliers': [{ factor: 2, role }] };
    for (const [path, after] of Object.entries(needed)) {
      expect(await problems(byManager, [{ path, before: null, after }]), path).toEqual([]);
    }
  });

  it('are of the same server, also where a member only needs one', async () => {
    const { byManager, problems } = await setUp();
    for (const role of ['123456789012345678', 404, 'constructor', '@everyone']) {
      const named = {
        'rewards.voterRole': { role, for: '12h' },
        'rewards.premiumRoles': { Gold: role },
        'rewards.milestones': [{ votes: 1, role }],
        'rewards.multipliers': [{ factor: 2, role }],
        shop: [
          { id: 'vip', role },
          { id: 'key', needsRole: role },
        ],
      };
      for (const [path, after] of Object.entries(named)) {
        const found = await problems(byManager, [{ path, before: null, after }]);
        expect(found, path).toHaveLength(path === 'shop' ? 2 : 1);
        for (const text of found) expect(text).toContain('This server has no such role.');
      }
    }
  });

  it('are checked again if they are given for something else', async () => {
    const { discord, byManager, problems } = await setUp();
    const role = discord.roles.vip;
    const late = { votes: 1_000, role };
    const change = (after: readonly object[]) => [{ path: 'rewards.milestones', before: [late], after }];
    expect(await problems(byManager, change([{ votes: 1, role }]))).toHaveLength(1);
    expect(await problems(byManager, change([late, { votes: 5, credits: 3 }]))).toEqual([]);
  });

  it('are not accepted while Discord does not say what they are', async () => {
    const { discord, byOwner, problems, voterRole } = await setUp();
    const unknown = { ...byOwner, guildId: '404' };
    expect(await problems(unknown, voterRole(discord.roles.voter))).toEqual([expect.stringContaining('in time')]);
    expect(await problems(unknown, [{ path: 'rewards.vote', before: 1, after: 2 }])).toEqual([]);
  });

  it('of an imported text are those that are not in effect', async () => {
    const { discord, byManager, problems } = await setUp();
    const { voter, vip } = discord.roles;
    const imported = (listing: object) =>
      problems(byManager, importedValues(byManager, JSON.stringify({ listings: [{ name: 'a' }, listing] })));
    expect(await imported({ rewards: { voterRole: { role: voter } }, shop: [{ id: 'x', role: voter }] })).toEqual([]);
    expect(await imported({ rewards: { premiumRoles: { Gold: vip } }, shop: [{ id: 'x', role: vip }] })).toHaveLength(
      2,
    );
    expect(await imported({ rewards: [vip], shop: { role: vip } })).toEqual([]);
    expect(await problems(byManager, importedValues(byManager, 'not JSON'))).toEqual([]);
  });
});

it.each([
  ['Administrator', '8', true],
  ['Moderate Members', String(1n << 40n), true],
  ['Mute Members', String(1n << 22n), true],
  ['Manage Nicknames', String(1n << 27n), true],
  ['Manage Threads', String(1n << 34n), true],
  ['Send Messages', '2048', false],
  ['Priority Speaker', String(1n << 8n), false],
])('recognises permissions of a moderator: %s', (_name, permissions, expected) => {
  expect(isModerating(permissions)).toBe(expected);
});
