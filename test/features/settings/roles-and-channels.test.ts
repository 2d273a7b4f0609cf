import { systemClock } from '@tallyhook/platform/clock';
import { createLog } from '@tallyhook/platform/log';
import type { RoleIds } from 'local-discord';
import { describe, expect, it } from 'vitest';
import { findRoleProblems, openView } from '../../../commands/setup/view.ts';
import { setup as setupCommand } from '../../../commands/setup.ts';
import { createGuildChannels } from '../../../src/discord/inspection.ts';
import { isModerating } from '../../../src/discord/permissions.ts';
import { createDiscordRest } from '../../../src/discord/rest.ts';
import { createRoleAccess } from '../../../src/features/roles/parts.ts';
import { textsIn } from '../../../src/texts/texts.ts';
import { contextFor, fakeLookup, inputOf } from '../../support/command-fixture.ts';
import { firstCommunity } from '../../support/communities.ts';
import { environmentWith, harbour } from '../../support/listings-file.ts';
import { localDiscord } from '../../support/local-discord.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { setupServicesOver } from '../../support/setup-over.ts';
import { openLedger } from '../../support/voting.ts';

const silentLog = createLog({ level: 'silent', secrets: [] });
type Names = readonly (keyof RoleIds)[];

/** `/setup` of the local Discord's guild, as its manager with these roles uses it, and its owner. */
async function setUp(names: Names = ['regular']) {
  const discord = await localDiscord();
  const { guildId, members } = discord;
  const rest = createDiscordRest({ token: discord.token, apiUrl: discord.apiUrl });
  const roleAccess = createRoleAccess({ rest, clock: systemClock, log: silentLog });
  const store = await openLedger(newSqliteUrl(), systemClock);
  const services = setupServicesOver(store, { checks: { roleAccess } });
  const viewOf = (userId = '', roles: Names = []) => {
    const input = inputOf({}, { userId, roles: roles.map((name) => discord.roles[name]) });
    const standings = store.standingsIn(firstCommunity, 'UTC');
    return openView(input, { services, standings, texts: textsIn('en-US'), clock: systemClock }, guildId);
  };
  const byManager = await viewOf(members[1]?.id, names);
  const byOwner = await viewOf(members[0]?.id);
  const problems = async (...of: Parameters<typeof findRoleProblems>) =>
    (await findRoleProblems(...of)).map(({ text }) => text);
  const voterRole = (role: unknown, before: unknown = null) => [
    { path: 'rewards.voterRole', before, after: { role, for: '12h' } },
  ];
  return { discord, byManager, byOwner, problems, voterRole };
}

describe('the roles of a change', () => {
  it('can be given by the bot, and may be above those of the owner', async () => {
    const { discord, byOwner, problems, voterRole } = await setUp();
    expect(await problems(byOwner, voterRole(discord.roles.veteran))).toEqual([]);
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
    const { discord, byManager, byOwner, problems, voterRole } = await setUp();
    const { input, texts, services, guildId } = byManager;
    const withoutRoles = { texts, services, guildId, input: { ...input, roles: null } };
    expect(await problems(withoutRoles, voterRole(discord.roles.voter))).toHaveLength(1);
    const unknown = { texts, services, input: byOwner.input, guildId: '404' };
    expect(await problems(unknown, voterRole(discord.roles.voter))).toEqual([expect.stringContaining('in time')]);
    expect(await problems(unknown, [{ path: 'rewards.vote', before: 1, after: 2 }])).toEqual([]);
  });

  it('of an imported text are those that are not in effect', async () => {
    const { discord, byManager } = await setUp();
    const { guildId, input } = byManager;
    const { voter, vip } = discord.roles;
    const store = await openLedger(newSqliteUrl(), systemClock);
    const setup = setupServicesOver(store, {
      checks: byManager.services.checks,
      environment: environmentWith([{ ...harbour, guildId, rewards: { voterRole: { role: vip, for: '12h' } } }]),
    });
    const standings = store.standingsIn(firstCommunity, 'UTC');
    const context = { ...contextFor({ name: 'harbour', lookup: fakeLookup('server', {}) }), setup, standings };
    const rejected = async (listing: object) => {
      const settings = JSON.stringify({ listings: [{ name: 'harbour', ...listing }] });
      const sent = { ...input, action: 'imported', guildId, isManager: true, fields: { settings } };
      return JSON.stringify(await setupCommand.execute(sent, context)).match(/above your highest role/g) ?? [];
    };
    expect(await rejected({ rewards: { voterRole: { role: voter } }, shop: [{ id: 'x', role: voter }] })).toEqual([]);
    expect(await rejected({ rewards: { voterRole: { role: vip, for: '12h' } } })).toEqual([]);
    expect(await rejected({ rewards: { premiumRoles: { Gold: vip } }, shop: [{ id: 'x', role: vip }] })).toHaveLength(
      2,
    );
    expect(await rejected({ rewards: [vip], shop: { role: vip } })).toEqual([]);
  });
});

it.each([
  ['Administrator', '8', true],
  ['Manage Nicknames', String(1n << 27n), true],
  ['Priority Speaker', String(1n << 8n), false],
])('recognises permissions of a moderator: %s', (_name, permissions, expected) => {
  expect(isModerating(permissions)).toBe(expected);
});

it('a channel that is chosen in /setup is refused while Discord does not list those of the server', async () => {
  const discord = await localDiscord();
  const guildId = '123456789012345678';
  const rest = createDiscordRest({ token: discord.token, apiUrl: discord.apiUrl });
  const channelsOf = createGuildChannels({ rest, clock: systemClock, log: silentLog });
  const store = await openLedger(newSqliteUrl(), systemClock);
  const environment = environmentWith([{ ...harbour, guildId }]);
  const setup = setupServicesOver(store, { checks: { channelsOf }, environment });
  const standings = store.standingsIn(firstCommunity, 'UTC');
  const context = { ...contextFor({ name: 'harbour', lookup: fakeLookup('server', {}) }), setup, standings };
  const { announcements } = discord.channels;
  const text = JSON.stringify({ listings: [{ name: 'harbour', announceChannelId: announcements }] });
  for (const input of [
    { action: 'imported', fields: { settings: text } },
    { action: 'panel-channel', values: [announcements] },
  ]) {
    const used = inputOf({ l: 'harbour' }, { guildId, isManager: true, interactionId: input.action, ...input });
    expect(JSON.stringify(await setupCommand.execute(used, context))).toContain(
      'Discord did not say in time which channels this server has.',
    );
  }
});
