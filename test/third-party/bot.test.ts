import { type LocalDiscord, startLocalDiscord } from 'local-discord';
import { beforeAll, describe, expect, it } from 'vitest';
import { installBot, type StartedBot } from './start-bot.ts';

const waitOptions = { timeout: 60_000 };

/*
 * A bot in the style of the guide of discord.js, with its patterns: files of commands and events, deployment by a program
 * of its own, cooldowns, every way to respond, components with collectors, modals and autocomplete. It knows nothing of
 * the local Discord.
 */
let discord: LocalDiscord;
let where: { userId: string; channelId: string };
let bot: StartedBot;

beforeAll(async () => {
  discord = await startLocalDiscord();
  where = { userId: discord.members[0]?.id ?? '', channelId: discord.channels.general };
  const installed = installBot(new URL('bot/', import.meta.url), discord);
  const [output, started] = await Promise.all([installed.run('deploy-commands.js'), installed.start()]);
  bot = started;
  expect(output).toContain('Deployed 9 commands.');
  return async () => {
    await bot.stop();
    await discord.stop();
  };
}, 120_000);

const run = (name: string, options = {}) => discord.runCommand({ ...where, name, options });

/** Waits until the bot has posted a message with this text. */
async function posted(content: string): Promise<void> {
  const contents = () => discord.messages(where.channelId, null).map((each) => each.content);
  await expect.poll(contents, waitOptions).toContain(content);
}

describe('a bot for discord.js that was not written for the local Discord', { timeout: 120_000 }, () => {
  it('replies, with a cooldown', async () => {
    expect((await run('ping').settled).content).toBe('Pong!');
    expect((await run('ping').settled).content).toMatch(/^You can use it again <t:\d+:R>\.$/);
  });

  it('reads the guild and its members', async () => {
    const { content } = await run('server').settled;
    expect(content).toBe(`Lantern Harbour has ${discord.members.length + 1} members and 9 roles; true`);
    const { embeds } = await run('user', { target: discord.members[0]?.id }).settled;
    expect(embeds).toMatchObject([{ title: 'mira', footer: { text: 'Owner' }, fields: [{ name: 'Joined' }] }]);
  });

  it('posts, edits and reads messages in a channel', async () => {
    const target = discord.channels.announcements;
    const { content } = await run('echo channel', { input: 'Hello', target }).settled;
    expect(content).toBe('Sent: Hello!');
    expect(discord.messages(target).at(-1)).toMatchObject({ content: 'Hello!', author: { bot: true } });
  });

  it('defers, edits, follows up and deletes', async () => {
    const used = run('echo later', { number: 4.5 });
    await posted('Done');
    expect(used.messages.map(({ content }) => content)).toEqual(['Number 4.5', 'Done']);
  });

  it('offers choices while a member types', async () => {
    const focused = { name: 'query', value: 'pop' };
    const choices = await discord.autocomplete({ ...where, name: 'guide', focused });
    expect(choices.map(({ value }) => value)).toEqual(['Popular Topics: Threads', 'Popular Topics: Embeds']);
  });

  it('waits for a button', async () => {
    const shown = await run('confirm').settled;
    await expect.poll(bot.printed, waitOptions).toContain('Waiting for a button');
    await discord.clickButton(shown.id, 'yes', where.userId).response;
    await posted('You said yes.');
    expect(discord.messages(where.channelId).find(({ id }) => id === shown.id)?.components).toEqual([]);
  });

  it('collects selections of several members', async () => {
    const shown = await run('starter').settled;
    const [mira, tomas] = discord.members.map(({ id }) => id) as [string, string];
    await expect.poll(bot.printed, waitOptions).toContain('Collecting selections');
    const picked = { messageId: shown.id, customId: 'starter', values: ['flame'] };
    expect((await discord.select({ ...picked, userId: tomas }).settled).content).toBe('tomas.k has selected flame!');
    await discord.select({ messageId: shown.id, customId: 'users', userId: mira, values: [mira, tomas] }).response;
    await posted('Collected 2 selections.');
  });

  it('opens a modal and reads it', async () => {
    const opened = run('profile');
    await opened.response;
    const values = { colour: 'teal', hobbies: 'sailing' };
    const sent = discord.submitModal({ interactionId: opened.id, userId: where.userId, values });
    expect((await sent.settled).content).toBe('teal: sailing');
  });

  it('reports an error to the member alone', async () => {
    const { content, flags } = await run('fail').settled;
    expect({ content, isEphemeral: (flags & 64) !== 0 }).toEqual({
      content: 'There was an error: on purpose',
      isEphemeral: true,
    });
  });
});
