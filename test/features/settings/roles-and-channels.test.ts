import { systemClock } from '@tallyhook/platform/clock';
import { createLog } from '@tallyhook/platform/log';
import type { RoleIds } from 'local-discord';
import { describe, expect, it } from 'vitest';
import { findRoleProblems, openView, type SetupView } from '../../../commands/setup/view.ts';
import { importedValues, setup as setupCommand } from '../../../commands/setup.ts';
import type { CommandInput } from '../../../src/discord/commands/command.ts';
import { createGuildChannels } from '../../../src/discord/inspection.ts';
import { isModerating } from '../../../src/discord/permissions.ts';
import { createDiscordRest } from '../../../src/discord/rest.ts';
import { createRoleAccess } from '../../../src/features/roles/parts.ts';
import { settings } from '../../../src/features/settings.ts';
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
  ['Manage Nicknames', String(1n << 27n), true],
  ['Priority Speaker', String(1n << 8n), false],
])('recognises permissions of a moderator: %s', (_name, permissions, expected) => {
  expect(isModerating(permissions)).toBe(expected);
});

/** `/setup` of a manager of the local Discord's guild, whose interactions say nothing about what was selected. */
async function setUpChannels({ guildId: otherId }: { readonly guildId?: string } = {}) {
  const discord = await localDiscord();
  const guildId = otherId ?? discord.guildId;
  const rest = createDiscordRest({ token: discord.token, apiUrl: discord.apiUrl });
  const log = createLog({ level: 'silent', secrets: [] });
  const channelsOf = createGuildChannels({ rest, clock: systemClock, log });
  const store = await openLedger(newSqliteUrl(), systemClock);
  const environment = environmentWith([{ ...harbour, guildId }]);
  const setup = setupServicesOver(store, { checks: { channelsOf }, environment });
  const standings = store.standingsIn(firstCommunity, 'UTC');
  const context = { ...contextFor({ name: 'harbour', lookup: fakeLookup('server', {}) }), setup, standings };
  let interactions = 0;

  async function send(action: string, input: Partial<CommandInput>, options: CommandInput['options'] = {}) {
    interactions += 1;
    const used = { action, guildId, isManager: true, interactionId: `interaction ${interactions}`, ...input };
    return JSON.stringify(await setupCommand.execute(inputOf({ l: 'harbour', ...options }, used), context));
  }

  return {
    discord,
    send,
    submit: (fields: CommandInput['fields']) => send('submit', { fields }, { f: 'channels' }),
    importing: (listing: object) =>
      send('imported', { fields: { settings: JSON.stringify({ listings: [{ name: 'harbour', ...listing }] }) } }),
    async changed() {
      const queues = await store.outbox.queuesAfter('', 10, systemClock.now());
      return [...(await setup.settings.changes(guildId, { before: null, limit: 10 })), ...queues];
    },
  };
}

const refused = 'This is not a channel of this server.';

describe('a channel that is chosen in /setup', () => {
  it('is one of the same server, whatever a component or modal contains', async () => {
    const { discord, send, submit, changed } = await setUpChannels();
    const own = discord.channels.announcements;
    const texts = [discord.channels.otherGuild, 'role 1', 'confirmation x', '..', `0${own}`, `${own} `, 'constructor'];
    for (const text of [...texts, 'x'.repeat(15_900), '\0']) {
      expect(await send('panel-channel', { values: [text] }), text).toContain(refused);
      expect(await send('channel', { values: [text] }), text).toContain(refused);
      for (const name of ['announceChannel', 'premiumChannel', 'ownerChannel']) {
        expect(await submit({ [name]: [text] }), `${name} ${text}`).toContain(refused);
      }
    }
    expect(await changed()).toEqual([]);
    expect(await submit({ announceChannel: [own] })).not.toContain(refused);
    expect(await send('panel-channel', { values: [own] })).toContain(own);
    expect(await changed()).toHaveLength(2);
  });

  it('is one of the same server in an imported text', async () => {
    const { discord, importing, changed } = await setUpChannels();
    const { announcements, otherGuild } = discord.channels;
    for (const { path } of settings.filter((spec) => 'isChannel' in spec)) {
      for (const id of [otherGuild, '123456789012345678', Number(announcements), [announcements]]) {
        expect(await importing({ [path]: id }), `${path} ${String(id)}`).toContain(refused);
      }
    }
    expect(await changed()).toEqual([]);
    expect(await importing({ announceChannelId: announcements, premiumChannelId: null })).toContain('Saved');
  });

  it('is refused while Discord does not list those of the server', async () => {
    const { discord, importing, send } = await setUpChannels({ guildId: '123456789012345678' });
    const { announcements } = discord.channels;
    const unknown = 'Discord did not say in time which channels this server has.';
    expect(await importing({ announceChannelId: announcements })).toContain(unknown);
    expect(await send('panel-channel', { values: [announcements] })).toContain(unknown);
  });
});
