import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import type { Command } from '../../commands/context.ts';
import { credits } from '../../commands/credits.ts';
import { commands as allCommands } from '../../commands/index.ts';
import { trace } from '../../commands/trace.ts';
import { commandDataOf } from '../../src/discord/registration/registration.ts';
import { ownTexts } from '../../src/texts/texts.ts';
import { command, hello } from '../support/bot.ts';
import { both, type Listed, listedBot, noChanges, registering } from './registering.ts';

const foreign = { name: 'play', description: 'Plays a song.' };
const all = ['canvote', 'reviews', 'stats'];

describe('registering the commands', () => {
  it('creates each command separately, once, and never overwrites the list', async () => {
    const { register, writes, names } = await registering();
    expect(await register()).toEqual({ ...noChanges, created: all });
    expect(writes()).toEqual(['POST /commands', 'POST /commands', 'POST /commands']);
    expect(await register()).toEqual({ ...noChanges, unchanged: all });
    expect(writes()).toEqual([]);
    expect(await names()).toEqual(all);
  });

  it('offers a shop only while something is sold, and accounts only with a listing', async () => {
    const { register, names } = await registering();
    await register(both, null, allCommands, ['shop', 'accounts']);
    expect(await names()).not.toEqual(expect.arrayContaining(['shop']));
    expect(await names()).not.toEqual(expect.arrayContaining(['credits']));
    await register(both, null, allCommands, ['shop']);
    expect(await names()).toEqual(expect.arrayContaining(['credits', 'leaderboard', 'award', 'trace']));
    expect(await register(both, null, allCommands, [])).toMatchObject({ created: ['shop'], deleted: [] });
    expect(await register(both, null, allCommands, ['shop'])).toMatchObject({ created: [], deleted: ['shop'] });
  });

  it('registers a command in the menu of a member beside its slash command, in every language', async () => {
    const { discord, rest, routes, register, listed, writes } = await registering();
    expect(await register(both, null, [credits])).toEqual({ ...noChanges, created: ['credits', 'Credits'] });
    expect(await listed()).toMatchObject([
      { type: 1, name: 'credits' },
      {
        ...{ type: 2, name: 'Credits', description: '', contexts: [0, 1, 2], integration_types: [0, 1] },
        default_member_permissions: null,
      },
    ]);
    expect(discord.commands()[1]?.name_localizations).toMatchObject({ fr: 'Crédits', 'zh-CN': '积分' });
    writes();
    expect(await register(both, null, [credits])).toEqual({ ...noChanges, unchanged: ['credits', 'Credits'] });
    expect(writes()).toEqual([]);
    const { menu: _menu, ...alone } = credits;
    expect(await register(both, null, [alone])).toEqual({
      ...{ ...noChanges, unchanged: ['credits'] },
      deleted: ['Credits'],
    });
    const theirs = { type: 2, name: 'credits' };
    await rest.post(routes.global, theirs);
    expect(await register(both, null, [credits])).toMatchObject({ created: ['Credits'], conflicts: [] });
    expect(await listed()).toContainEqual(expect.objectContaining(theirs));
  });

  it('takes a command in the menu from no other program, and from a deploy script of ours', async () => {
    const { rest, routes, register, listed, writes, registry, discord } = await registering();
    const [theirs] = (await rest.put(routes.global, undefined, [{ type: 2, name: 'Credits' }])) as readonly Listed[];
    writes();
    expect(await register(both, null, [credits])).toMatchObject({
      created: ['credits'],
      conflicts: [{ id: theirs?.id, name: 'Credits', type: 2 }],
    });
    expect(await listed()).toContainEqual(theirs);
    const context = { listings: both, isShared: false, languages: ownTexts };
    await rest.put(routes.global, undefined, commandDataOf({ commands: [credits, trace], context, guildId: null }));
    writes();
    expect(await register(both, null, [credits, trace])).toMatchObject({ created: [], updated: [], conflicts: [] });
    expect(writes()).toEqual([]);
    expect((await registry.list(discord.applicationId)).map(({ name }) => name).toSorted()).toEqual(
      ['credits', 'trace', 'Credits', 'Trace votes'].toSorted(),
    );
  });

  it('updates and deletes the commands that another key changes, and keeps their ids', async () => {
    const { register, idOf, writes } = await registering();
    await register();
    const id = await idOf('canvote');
    writes();
    expect(await register([listedBot])).toEqual({ ...noChanges, updated: ['canvote', 'stats'], deleted: ['reviews'] });
    expect(writes().map((written) => written.split(' ')[0])).toEqual(['DELETE', 'PATCH', 'PATCH']);
    expect(await idOf('canvote')).toBe(id);
    expect(await register([listedBot])).toEqual({ ...noChanges, unchanged: ['canvote', 'stats'] });
  });

  it('offers them in guilds, some in direct messages, some to managers', async () => {
    const { discord, register } = await registering();
    const say = command({ execute: async () => hello });
    const help = { ...say, name: 'help', availability: 'everywhere' } as const;
    const award = { ...say, name: 'award', defaultMemberPermissions: 'ManageGuild' } as const;
    for (const guildId of [null, discord.guildId]) await register(both, guildId, [say, help, award]);
    await register(both, null, [say, help, award]);
    expect(discord.commands()).toMatchObject([
      { name: 'say', contexts: [0], integration_types: [0], default_member_permissions: null },
      { name: 'help', contexts: [0, 1, 2], integration_types: [0, 1], default_member_permissions: null },
      { name: 'award', contexts: [0], integration_types: [0], default_member_permissions: '32' },
    ]);
  });

  it.each(['global', 'guild'] as const)('updates them (%s) if their permission or limits change', async (scope) => {
    const { discord, register } = await registering();
    const guildId = scope === 'guild' ? discord.guildId : null;
    const say = command({ execute: async () => hello });
    const limited = (max_length: number): Command => ({
      ...say,
      describe: () => ({
        description: 'Says something.',
        options: [{ type: ApplicationCommandOptionType.String, name: 'text', description: 'What.', max_length }],
      }),
    });
    const changes: readonly Command[] = [
      { ...limited(10), defaultMemberPermissions: 'ManageGuild' },
      { ...limited(20), defaultMemberPermissions: 'ManageGuild' },
      limited(20),
    ];
    await register(both, guildId, [limited(10)]);
    for (const changed of changes) {
      expect(await register(both, guildId, [changed])).toEqual({ ...noChanges, updated: ['say'] });
      expect(await register(both, guildId, [changed])).toEqual({ ...noChanges, unchanged: ['say'] });
    }
  });

  it('deletes only our commands in the previous scope when the scope changes', async () => {
    const { discord, rest, routes, register, names } = await registering();
    await rest.post(routes.global, foreign);
    await register();
    expect(await register(both, discord.guildId)).toEqual({ ...noChanges, created: all, deleted: all });
    expect(await names()).toEqual(['play']);
    expect(await names('guild')).toEqual(all);
    expect(await register(both, discord.guildId)).toEqual({ ...noChanges, unchanged: all });
    await rest.post(routes.guild, foreign);
    expect(await register()).toEqual({ ...noChanges, created: all, deleted: all });
    expect(await names('guild')).toEqual(['play']);
    expect(await names()).toEqual([...all.slice(0, 1), 'play', ...all.slice(1)]);
  });

  it('reports commands in a guild that the bot can no longer access, and registers the others', async () => {
    const { discord, registry, register } = await registering();
    const lost = { id: '42', applicationId: discord.applicationId, guildId: '4242', name: 'canvote' };
    await registry.save({ ...lost, definition: null });
    expect(await register()).toEqual({ ...noChanges, created: all, inaccessible: [lost] });
  });

  it('does not change the stored commands of another application', async () => {
    const { discord, registry, register } = await registering();
    const other = { id: '42', applicationId: '4242', guildId: null, name: 'canvote', definition: null };
    await registry.save(other);
    expect(await register()).toEqual({ ...noChanges, created: all });
    expect(await registry.list('4242')).toEqual([other]);
    expect(await registry.list(discord.applicationId)).toHaveLength(3);
  });

  it('never overwrites a command of another program with the name of one of ours', async () => {
    const { rest, routes, register, listed, writes } = await registering();
    await rest.post(routes.global, { name: 'stats', description: 'Statistics of the game.' });
    const [before] = await listed();
    writes();
    const conflicts = [{ id: before?.id ?? '', name: 'stats' }];
    expect(await register()).toEqual({ ...noChanges, created: ['canvote', 'reviews'], conflicts });
    expect(await register([listedBot])).toEqual({
      ...noChanges,
      updated: ['canvote'],
      deleted: ['reviews'],
      conflicts,
    });
    expect(await listed()).toContainEqual(before);
    await rest.delete(`${routes.global}/${before?.id}`);
    expect(await register([listedBot])).toEqual({ ...noChanges, created: ['stats'], unchanged: ['canvote'] });
  });

  it('adopts commands with our descriptions, whatever their options are', async () => {
    const { rest, routes, registry, register, listed, discord, writes } = await registering();
    await register();
    const earlier = await listed();
    for (const { id } of earlier) await registry.remove(id);
    await rest.patch(`${routes.global}/${earlier[0]?.id}`, { options: [] });
    writes();
    expect(await register()).toEqual({ ...noChanges, updated: ['canvote'], unchanged: ['reviews', 'stats'] });
    expect(writes()).toEqual([`PATCH /commands/${earlier[0]?.id}`]);
    expect((await registry.list(discord.applicationId)).map(({ id }) => id)).toEqual(earlier.map(({ id }) => id));
  });

  it('creates a deleted command again, and deletes a renamed one', async () => {
    const { discord, rest, routes, registry, register, idOf, names } = await registering();
    await register();
    await rest.delete(`${routes.global}/${await idOf('stats')}`);
    await rest.patch(`${routes.global}/${await idOf('canvote')}`, { name: 'vote' });
    expect(await register()).toEqual({
      ...noChanges,
      created: ['canvote', 'stats'],
      unchanged: ['reviews'],
      deleted: ['vote'],
    });
    expect(await names()).toEqual(all);
    expect(await registry.list(discord.applicationId)).toHaveLength(3);
  });

  it('creates each command once if two processes start at the same time', async () => {
    const { discord, registry, register, names } = await registering();
    await Promise.all([register(), register()]);
    expect(await names()).toEqual(all);
    expect(await registry.list(discord.applicationId)).toHaveLength(3);
  });

  it('rejects if Discord fails, and a second run completes it', async () => {
    const { discord, register, writes } = await registering();
    discord.faults.loseAnswers(1, /^POST .*commands$/);
    await expect(register()).rejects.toThrow();
    writes();
    expect(await register()).toEqual({ ...noChanges, created: ['reviews', 'stats'], unchanged: ['canvote'] });
  });
});
