import { violationsInBothSchemes, violationsOf } from '@tallyhook/platform/testing/browser/violations';
import { ChannelType, type Interaction, type TextChannel } from 'discord.js';
import type { Repertoire } from 'local-discord/testing/bot';
import { localDiscord } from 'local-discord/testing/local';
import { describe, expect, it } from 'vitest';
import { open, saveScreenshot, visitLocal } from './sandbox-page.ts';

/** Replies to /ping with a button that opens a modal, and to the modal with its text. */
const pingBot: Repertoire = {
  commands: [
    { name: 'ping', description: 'Replies with Pong!' },
    { name: 'silent', description: 'Never answers.' },
  ],
  async answer(interaction: Interaction) {
    if (interaction.isChatInputCommand() && interaction.commandName === 'ping') {
      const buttons = [
        { type: 2, style: 1, label: 'Again', custom_id: 'again' },
        { type: 2, style: 2, label: 'Say something', custom_id: 'ask' },
      ];
      await interaction.reply({ content: 'Pong!', components: [{ type: 1, components: buttons }] });
    } else if (interaction.isButton() && interaction.customId === 'again') {
      await interaction.update({ content: 'Pong once more!' });
    } else if (interaction.isButton()) {
      const input = { type: 4, custom_id: 'text', label: 'Your words', style: 1 } as const;
      await interaction.showModal({
        title: 'Say something',
        custom_id: 'said',
        components: [{ type: 1, components: [input] }],
      });
    } else if (interaction.isModalSubmit()) {
      await interaction.reply(`You said: ${interaction.fields.getTextInputValue('text')}`);
    }
  },
};

/** With the names that a Discord has by itself. */
const alone = { page: true, names: {} };

describe('the page of a Discord alone', { timeout: 60_000 }, () => {
  it('runs a command, presses a button and submits a modal, and shows how the bot responded', async () => {
    const { page, messages, type } = await visitLocal(pingBot, {}, alone);
    const run = async (command: string) => {
      await type(`/${command} `);
      await page.keyboard.press('Enter');
    };
    await run('ping');
    await messages.getByText('Pong!', { exact: true }).waitFor();
    await messages.getByRole('button', { name: 'Again' }).click();
    await messages.getByText('Pong once more!').waitFor();
    await messages.getByRole('button', { name: 'Say something' }).click();
    const modal = page.getByRole('dialog', { name: 'Say something' });
    await modal.getByLabel('Your words').fill('Hello');
    await modal.getByRole('button', { name: 'Submit' }).click();
    await messages.getByText('You said: Hello').waitFor();
    await run('silent');
    await messages.getByText('The application did not respond').waitFor();
    const activity = page.getByRole('list', { name: 'Activity' });
    await activity.getByText('no response within 3 seconds').waitFor();
    expect((await activity.locator('.line-text').allInnerTexts()).map((text) => text.replace(/ \S+ ms$/, ''))).toEqual([
      'mira used /silent: no response within 3 seconds',
      'mira submitted “Say something”: responded after',
      'mira pressed “Say something” in /ping: responded after',
      'mira pressed “Again” in /ping: responded after',
      'mira used /ping: responded after',
      'The bot is connected',
    ]);
    await saveScreenshot(page, 'discord-alone');
  });

  it('lists open threads under their channel, for those who see them, and runs commands in them', async () => {
    const { discord, bot, page, messages, type } = await visitLocal(pingBot, {}, alone);
    const { general } = discord.channels;
    const channel = (await bot.channels.fetch(general)) as TextChannel;
    const thread = await channel.threads.create({ name: 'Tide times' });
    await channel.threads.create({ name: 'Harbour watch', type: ChannelType.PrivateThread });
    const channels = page.getByRole('list', { name: 'Text channels' });
    await channels.getByRole('button', { name: 'Harbour watch' }).waitFor();
    expect((await channels.getByRole('button').allInnerTexts()).map((text) => text.split('\n').at(1))).toEqual([
      'announcements',
      'general',
      'Tide times',
      'Harbour watch',
      'premium',
    ]);
    await channels.getByRole('button', { name: 'general' }).click();
    await messages.getByText('Started a thread:').waitFor();
    await saveScreenshot(page, 'discord-thread-started');
    await channels.getByRole('button', { name: 'Tide times' }).click();
    await type('/ping ');
    await page.keyboard.press('Enter');
    await messages.getByText('Pong!', { exact: true }).waitFor();
    expect(discord.messages(thread.id)).toHaveLength(1);
    expect(await violationsOf(page)).toEqual([]);
    await saveScreenshot(page, 'discord-thread');
    // Another member sees only the public thread.
    await page.getByLabel('Acting as').selectOption({ index: 1 });
    await channels.getByRole('button', { name: 'Harbour watch' }).waitFor({ state: 'detached' });
    discord.guild.archiveThread(thread.id, true);
    await channels.getByRole('button', { name: 'Tide times' }).waitFor({ state: 'detached' });
  });

  it('is accessible and complete, also on a phone', async () => {
    const { discord, page } = await visitLocal(pingBot, {}, alone);
    expect(await page.title()).toBe('Local Discord');
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.close();
    const phone = await open(discord.origin, { viewport: { width: 400, height: 780 } });
    const activity = phone.page.getByRole('list', { name: 'Activity' });
    expect(await activity.isVisible()).toBe(false);
    const show = phone.page.getByRole('button', { name: 'Activity' });
    await phone.type('/ping ');
    await phone.page.keyboard.press('Enter');
    await expect.poll(() => show.getAttribute('class')).toBe('news');
    await show.click();
    await activity.getByText('mira used /ping').waitFor();
    expect(await show.getAttribute('class')).toBe('');
    expect(await phone.messages.isVisible()).toBe(false);
    expect(await phone.page.evaluate<number>('document.documentElement.scrollWidth')).toBe(400);
    expect(await violationsInBothSchemes(phone.page)).toEqual([]);
    await saveScreenshot(phone.page, 'discord-alone-phone');
  });

  it('says how to connect a bot', async () => {
    const { origin } = await localDiscord(alone);
    const { page } = await open(origin, {}, 'Bot offline');
    await page.getByText(`No bot has connected yet. The address of the API is ${origin}/api.`).waitFor();
  });
});
