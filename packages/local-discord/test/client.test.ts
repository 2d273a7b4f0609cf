import type { Clock } from '@tallyhook/platform/clock';
import { systemClock } from '@tallyhook/platform/clock';
import { DiscordAPIError, Events, type TextChannel } from 'discord.js';
import { describe, expect, it, vi } from 'vitest';
import { ApplicationDidNotRespondError } from '../src/interactions.ts';
import { inhabited } from '../testing/local.ts';

/** A stopwatch at 100 times the real speed. */
const hurried: Clock = {
  now: () => Date.now() * 100,
  monotonic: () => performance.now() * 100,
  sleep: (ms, signal) => systemClock.sleep(ms / 100, signal),
  random: () => 0.5,
};

const patience = { timeout: 10_000, interval: 20 };

describe('discord.js in the local Discord', () => {
  it('logs in, finds the guild with its channels, and registers its commands', async () => {
    const { discord, bot } = await inhabited();
    const guild = bot.guilds.cache.get(discord.guildId);
    expect(guild?.name).toBe('Lantern Harbour');
    expect(guild?.channels.cache.map(({ name }) => name)).toEqual(['announcements', 'general', 'premium']);
    expect(bot.user.id).toBe(discord.applicationId);
    expect(discord.commands().map(({ name }) => name)).toEqual(['canvote', 'reviews', 'slow', 'silent']);
    expect(discord.connected).toBe(true);
  });

  it('responds to a command; only the member sees an ephemeral response', async () => {
    const { discord, mira, tomas, general } = await inhabited();
    const options = { user: tomas.id };
    const handle = discord.runCommand({ name: 'canvote', userId: mira.id, channelId: general, options });
    expect(await handle.response).toMatchObject({ type: 4, data: { flags: 64 }, afterMs: expect.any(Number) });
    expect((await handle.settled).embeds[0]?.description).toBe(`<@${tomas.id}> can vote <t:1893456000:R>.`);
    expect(discord.messages(general)).toHaveLength(0);
    expect(discord.messages(general, mira.id)).toHaveLength(1);
    expect(discord.messages(general, tomas.id)).toHaveLength(0);
    expect(discord.messages(general, null)).toHaveLength(1);
  });

  it('changes the page of a response with its buttons', async () => {
    const { discord, mira, general } = await inhabited();
    const answer = await discord.runCommand({ name: 'reviews', userId: mira.id, channelId: general }).settled;
    expect(answer.embeds[0]?.footer?.text).toContain('page 1 of 4');
    const turned = discord.clickButton(answer.id, 'page:2', mira.id);
    expect(await turned.response).toMatchObject({ type: 7 });
    expect((await turned.settled).embeds[0]?.footer?.text).toContain('page 2 of 4');
    expect(discord.messages(general)).toHaveLength(1);
    expect(() => discord.clickButton(answer.id, 'page:9', mira.id)).toThrow('no component page:9');
  });

  it('defers, edits and follows up', async () => {
    const { discord, mira, tomas, general } = await inhabited();
    const handle = discord.runCommand({ name: 'slow', userId: mira.id, channelId: general });
    expect(await handle.response).toMatchObject({ type: 5 });
    expect(await handle.settled).toMatchObject({ content: 'There it is.', flags: 0 });
    await vi.waitFor(() => expect(handle.messages).toHaveLength(2), patience);
    expect(handle.messages[1]).toMatchObject({ content: 'And one thing more.', flags: 64 });
    expect(discord.messages(general, tomas.id).map(({ content }) => content)).toEqual(['There it is.']);
  });

  it('reports that the application did not respond after 3 seconds', async () => {
    const { discord, mira, general } = await inhabited({ stopwatch: hurried });
    const handle = discord.runCommand({ name: 'silent', userId: mira.id, channelId: general });
    await expect(handle.response).rejects.toThrow(ApplicationDidNotRespondError);
    await expect(handle.settled).rejects.toThrow('The application did not respond');
    expect(handle.messages).toHaveLength(0);
  });

  it('creates one message for repeated requests with the same enforced nonce', async () => {
    const { discord, bot, announcements } = await inhabited();
    const channel = bot.channels.cache.get(announcements) as TextChannel;
    const message = { content: 'Thank you!', nonce: 'effect-1', enforceNonce: true };
    discord.faults.loseAnswers(1, /POST .*messages/);
    await expect(channel.send(message)).rejects.toThrow();
    const repeated = await channel.send(message);
    const [sent] = discord.messages(announcements);
    expect(sent).toMatchObject({ id: repeated.id, content: 'Thank you!' });
    expect(discord.messages(announcements)).toHaveLength(1);
    expect(discord.requests.filter(({ path }) => path.endsWith('/messages')).map(({ status }) => status)).toEqual([
      0, 200,
    ]);
  });

  it('receives validation errors per field', async () => {
    const { bot, announcements } = await inhabited();
    const channel = bot.channels.cache.get(announcements) as TextChannel;
    const refused = await channel.send({ embeds: [{ title: 'x'.repeat(257) }] }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(DiscordAPIError);
    expect(refused).toMatchObject({ code: 50035, status: 400 });
    expect(String(refused)).toContain('embeds[0].title[BASE_TYPE_MAX_LENGTH]: Must be 256 or fewer in length.');
  });

  it('uploads a file and shows it in an embed', async () => {
    const { bot, announcements } = await inhabited();
    const channel = bot.channels.cache.get(announcements) as TextChannel;
    const { attachments, embeds } = await channel.send({
      files: [{ attachment: Buffer.from('a picture'), name: 'chart.png', contentType: 'image/png' }],
      embeds: [{ image: { url: 'attachment://chart.png' } }],
    });
    // A file that an embed shows is no attachment of the message.
    expect(attachments.size).toBe(0);
    const url = embeds[0]?.image?.url ?? '';
    const response = await fetch(url);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await response.text()).toBe('a picture');
  });

  it('waits out a rate limit', async () => {
    const { discord, bot, announcements } = await inhabited();
    const channel = bot.channels.cache.get(announcements) as TextChannel;
    discord.faults.respond429(1, 0.2);
    await channel.send('patience');
    expect(discord.requests.slice(-2).map(({ status }) => status)).toEqual([429, 200]);
  });
});

describe('the connection', () => {
  it('resumes after a lost connection and receives the missed events', async () => {
    const { discord, bot, mira, general } = await inhabited();
    const resumed = new Promise<number>((resolve) => {
      bot.once(Events.ShardResume, (_shard, replayed) => resolve(replayed));
    });
    discord.faults.dropGateway({ resumable: true });
    await vi.waitFor(() => expect(discord.connected).toBe(false), patience);
    const handle = discord.runCommand({ name: 'reviews', userId: mira.id, channelId: general });
    await resumed;
    expect(await handle.response).toMatchObject({ type: 4 });
    expect(discord.dispatches.map(({ t }) => t)).toEqual(['READY', 'GUILD_CREATE', 'INTERACTION_CREATE', 'RESUMED']);
  });

  it('identifies again if the session no longer exists', async () => {
    const { discord, bot, mira, general } = await inhabited();
    const ready = new Promise((resolve) => bot.once(Events.ShardReady, resolve));
    discord.faults.dropGateway({ resumable: false });
    await ready;
    const handle = discord.runCommand({ name: 'reviews', userId: mira.id, channelId: general });
    expect(await handle.response).toMatchObject({ type: 4 });
    expect(discord.dispatches.filter(({ t }) => t === 'READY')).toHaveLength(2);
  });

  it('reconnects on request and after a zombie connection', async () => {
    const { discord, bot } = await inhabited({ heartbeatInterval: 200 });
    const resumed = () => new Promise((resolve) => bot.once(Events.ShardResume, resolve));
    const first = resumed();
    discord.faults.askToReconnect();
    await first;
    const second = resumed();
    discord.faults.freezeGateway(true);
    discord.faults.freezeGateway(false);
    await second;
    expect(discord.connected).toBe(true);
  });

  it('reconnects after an outage in which every request fails', async () => {
    const { discord, bot, announcements } = await inhabited();
    const channel = bot.channels.cache.get(announcements) as TextChannel;
    const back = new Promise((resolve) => {
      bot.once(Events.ShardResume, resolve);
      bot.once(Events.ShardReady, resolve);
    });
    discord.faults.outage(true);
    await expect(fetch(`${discord.apiUrl}/v10/gateway`)).rejects.toThrow();
    await vi.waitFor(() => expect(discord.connected).toBe(false), patience);
    discord.faults.outage(false);
    await back;
    await channel.send('We are back.');
    expect(discord.messages(announcements)).toHaveLength(1);
  });
});
