import { minute, second } from '@tallyhook/platform/durations';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { canvote } from '../../commands/canvote.ts';
import type { Command } from '../../commands/context.ts';
import { stats } from '../../commands/stats.ts';
import { CommandRegistrar } from '../../src/discord/registration/registrar.ts';
import { commandDataOf, registerCommands } from '../../src/discord/registration/registration.ts';
import { ownTexts } from '../../src/texts/texts.ts';
import { command, hello } from '../support/bot.ts';
import { both, type Listed, noChanges, registering } from './registering.ts';

const context = { listings: both, isShared: false, languages: ownTexts };
/** What a bot deploys itself, in the place of ours. */
const theirs = { name: 'stats', description: 'Statistics of the game.' };

/** An application in which these commands are registered. */
async function registered(commands: readonly Command[] = [canvote, stats]) {
  const { register: registerIn, listed, routes, ...others } = await registering();
  const register = (offered = commands, guildId: string | null = null) => registerIn(both, guildId, offered);
  const list = listed;
  const ownNames = async () => (await others.registry.list(others.applicationId)).map(({ name }) => name).toSorted();
  await register();
  return { ...others, route: routes.global, guildRoute: routes.guild, register, list, ownNames };
}

describe('a command that another program has put in the place of ours', () => {
  it('is not deleted if ours is not offered any more, or only elsewhere', async () => {
    const { discord, rest, route, guildRoute, register, list, ownNames } = await registered();
    await rest.put(route, undefined, [theirs]);
    expect(await register([canvote])).toMatchObject({ deleted: [], conflicts: [{ name: 'stats' }] });
    await register([canvote, stats], discord.guildId);
    await rest.put(guildRoute, undefined, [theirs]);
    await register([canvote]);
    expect([...(await list()), ...(await list('guild'))]).toMatchObject([theirs, { name: 'canvote' }, theirs]);
    expect(await ownNames()).toEqual(['canvote']);
  });

  it('is not answered a minute after the list was read, and is reported once', async () => {
    const { list, discord, deploy, use, registrar, clock, logged } = await registrarOf([stats]);
    const [id = ''] = (await list()).map((command) => command.id);
    await deploy([theirs]);
    const requests = () => discord.requests.length;

    const before = requests();
    expect([await use(id), requests()]).toEqual([true, before]);
    await clock.advance(minute);
    expect(await use(id)).toBe(false);
    expect(registrar.idOf('stats')).toBe(null);
    expect(requests()).toBe(before + 1);
    registrar.update();
    await expect.poll(() => logged.filter(({ msg }) => msg === 'slash commands registered').length).toBe(2);
    expect(logged.filter(({ level }) => level >= 40)).toEqual([
      expect.objectContaining({ command: 'stats', id, hint: expect.stringContaining('Rename or delete it there') }),
    ]);
    expect(await list()).toMatchObject([theirs]);
  });

  it('is never answered where another program has commands, or has answered one of ours', async () => {
    const beside = await registrarOf([canvote, stats]);
    const { list, deploy, use, registrar } = beside;
    const idOf = async (name: string) => (await list()).find((command) => command.name === name)?.id ?? '';
    const [canVoteId, statsId] = [await idOf('canvote'), await idOf('stats')];
    const body = { name: 'canvote', description: 'Can I vote in the election?' };
    registrar.noteOtherAnswer();
    await deploy([theirs, ...bodiesOf([canvote])]);
    expect([await use(statsId), await use(canVoteId, 'canvote')]).toEqual([false, true]);
    await deploy([theirs, body]);
    expect(await use(canVoteId, 'canvote')).toBe(false);
  });

  it('is answered by us once the caller was told that we do, and not after it was told otherwise', async () => {
    const { list, deploy, use, registrar, clock } = await registrarOf([stats], { sharing: 'known' });
    const [id = ''] = (await list()).map((command) => command.id);
    await deploy([theirs]);
    const told = registrar.isKnown({ id, name: 'stats' }, '1');
    expect([told, await use(id, 'stats', '1')]).toEqual([true, true]);
    await clock.advance(minute);
    expect([registrar.isKnown({ id, name: 'stats' }, '1'), await use(id, 'stats', '1')]).toEqual([true, true]);
    await expect.poll(() => registrar.isKnown({ id, name: 'stats' }, undefined)).toBe(false);
    expect(await use(id, 'stats', '2')).toBe(false);
    expect(registrar.isKnown({ id, name: 'stats' }, '2')).toBe(false);
    expect(registrar.isKnown({ id, name: 'stats' }, '3')).toBe(false);
  });

  it('is known while ours are still being registered, which may take a minute', async () => {
    const stuck = Promise.withResolvers<never>();
    stuck.promise.catch(() => {});
    const { list, use, registrar } = await registrarOf([canvote, stats], {
      deployed: [theirs],
      post: () => stuck.promise,
    });
    const id = (await list()).find(({ name }) => name === 'stats')?.id ?? '';
    await expect.poll(() => registrar.isKnown({ id, name: 'stats' }, undefined)).toBe(false);
    expect(await use(id)).toBe(false);
    stuck.reject(new Error('The test is over.'));
  });

  it('is not overwritten if it is deployed while ours are being registered', async () => {
    const { rest, route, registry, list, applicationId } = await registered([]);
    let isDeployed = false;
    const deploying = {
      ...rest,
      async post(...request: Parameters<typeof rest.post>) {
        if (!isDeployed) await rest.put(route, undefined, [theirs]);
        isDeployed = true;
        return rest.post(...request);
      },
    };
    const registration = {
      rest: deploying,
      applicationId,
      guildId: null,
      commands: [canvote, stats],
      context,
      registry,
    };
    expect(await registerCommands(registration)).toMatchObject({
      created: ['canvote'],
      conflicts: [{ name: 'stats' }],
    });
    expect(await list()).toMatchObject([theirs, { name: 'canvote' }]);
  });
});

/** A registrar that has registered these commands, unless its requests get stuck. */
async function registrarOf(
  commands: readonly Command[],
  options: {
    sharing?: 'known';
    /** What another program has deployed before. */
    deployed?: readonly object[];
    /** In place of the requests that create commands. */
    post?: () => Promise<never>;
  } = {},
) {
  const { sharing, deployed, post } = options;
  const { registry, rest, route, list, discord, applicationId } = await registered(post ? [] : commands);
  const deploy = (body: readonly object[]) => rest.put(route, undefined, body);
  if (deployed) await deploy(deployed);
  const clock = manualClock();
  const { log, logged } = collectingLog();
  const registrar = new CommandRegistrar({
    ...{ rest: { ...rest, ...(post && { post }) }, guildId: null, commands, registry, clock, log },
    ...{ offer: () => context, ...(sharing && { sharing }) },
  });
  onTestFinished(() => registrar.stop());
  registrar.start(applicationId);
  if (post === undefined)
    await expect.poll(() => logged.some(({ msg }) => msg === 'slash commands registered')).toBe(true);
  let uses = 0;
  const use = (id: string, name = 'stats', interactionId = `use ${uses++}`) =>
    registrar.isOwn({ id, name, scope: null }, interactionId);
  return { registrar, registry, applicationId, clock, logged, discord, list, deploy, use };
}

const bodiesOf = (commands: readonly Command[]) => commandDataOf({ commands, context, guildId: null });

it('a command that another process has registered is answered before that has stored it', async () => {
  const stuck = Promise.withResolvers<never>();
  stuck.promise.catch(() => {});
  const { registry, applicationId, list, deploy, use, clock } = await registrarOf([canvote, stats], {
    post: () => stuck.promise,
  });
  const idOf = async (name: string) => (await list()).find((command) => command.name === name)?.id ?? '';
  await deploy(bodiesOf([canvote]));
  expect(await use(await idOf('canvote'), 'canvote')).toBe(true);
  await deploy(bodiesOf([canvote, stats]));
  const id = await idOf('stats');
  let isAnswered: boolean | null = null;
  void use(id).then((answers) => {
    isAnswered = answers;
  });
  await registry.save({ id, name: 'stats', applicationId, guildId: null, definition: null });
  await expect.poll(() => clock.advance(second).then(() => isAnswered)).toBe(true);
  stuck.reject(new Error('The test is over.'));
});

describe('a command that another version of tallyhook has registered', () => {
  const saying = (description: string) =>
    command({ execute: async () => hello, describe: () => ({ description, options: [] }) });

  it('is updated if that version has stored no definition, which is stored then', async () => {
    const { registry, rest, route, register, applicationId } = await registered([saying('Says hello.')]);
    for (const each of await registry.list(applicationId)) await registry.save({ ...each, definition: null });
    expect(await register([saying('Says hello to all.')])).toEqual({ ...noChanges, updated: ['say'] });
    await rest.put(route, undefined, [{ name: 'say', description: 'Says what the bot says.' }]);
    expect(await register()).toMatchObject({ updated: [], conflicts: [{ name: 'say' }] });
  });

  it('keeps its definition if it was current already', async () => {
    const { registry, rest, route, register, applicationId } = await registered([saying('Says hello.')]);
    const stored = await registry.list(applicationId);
    for (const each of stored) await registry.save({ ...each, definition: null });
    expect(await register()).toEqual({ ...noChanges, unchanged: ['say'] });
    expect(await registry.list(applicationId)).toEqual(stored);
    await rest.put(route, undefined, [{ name: 'say', description: 'Says what the bot says.' }]);
    expect(await register()).toMatchObject({ conflicts: [{ name: 'say' }] });
  });

  it('is updated after that version has run again and stored no definition: nobody else translates it', async () => {
    const { rest, route, register, list } = await registered();
    const [shown] = (await rest.get(`${route}`, new URLSearchParams({ with_localizations: 'true' }))) as Listed[];
    const { id = '' } = shown ?? {};
    await rest.patch(`${route}/${id}`, { description: 'An earlier text.', options: [] });
    expect(await register()).toEqual({ ...noChanges, updated: ['canvote'], unchanged: ['stats'] });
    expect((await list()).map(({ description }) => description)).not.toContain('An earlier text.');
  });
});
