import { text } from 'node:stream/consumers';
import type { Interaction } from 'discord.js';
import { MessageFlags } from 'discord.js';
import type { Repertoire } from 'local-discord/testing/bot';
import { rest } from 'local-discord/testing/local';
import { selectsBot } from 'local-discord/testing/selects-bot';
import { describe, expect, it } from 'vitest';
import { expectText, saveScreenshot, visitLocal } from './sandbox-page.ts';

/** Responds ephemerally with a file, and to its button in direct messages. */
const exporter: Repertoire = {
  commands: [{ name: 'export', description: 'Sends your data.' }],
  async answer(interaction: Interaction) {
    if (interaction.isButton()) await interaction.update({ content: 'Reminders are off.', components: [] });
    else if (interaction.isChatInputCommand()) {
      const files = [{ name: 'account.json', attachment: Buffer.from('{"credits":10}') }];
      await interaction.reply({ content: 'Your data.', files, flags: MessageFlags.Ephemeral });
    }
  },
};

describe('the members on the page', { timeout: 60_000 }, () => {
  it('show their roles, which change while the page is open', async () => {
    const { discord, page } = await visitLocal(exporter);
    const [, tomas] = discord.members;
    const member = page.getByRole('list', { name: 'Members' }).getByRole('button', { name: /^Tomás/ });
    await member.waitFor();
    expect(await member.locator('.role-chip').count()).toBe(0);
    const role = (roleId: string) => `/guilds/${discord.guildId}/members/${tomas?.id}/roles/${roleId}`;
    await rest(discord)('PUT', role(discord.roles.voter));
    await rest(discord)('PUT', role(discord.roles.vip));
    await expectText(member, 'VIPVoter');
    expect(await member.locator('.member-name').getAttribute('style')).toBe('--role-color: #f1c40f');
    await saveScreenshot(page, 'roles');
    await rest(discord)('DELETE', role(discord.roles.vip));
    await expect.poll(() => member.locator('.role-chip').allInnerTexts()).toEqual(['Voter']);
    expect(await member.locator('.member-name').getAttribute('style')).toBe('--role-color: #57f287');
    await member.click();
    const profile = page.getByRole('dialog', { name: 'Tomás' });
    await expectText(profile.getByRole('region', { name: 'Roles' }), 'Voter');
  });

  it('have a menu with the commands of the app, which answer in the open channel', async () => {
    const { page } = await visitLocal({
      commands: [{ type: 2, name: 'Wave at', name_localizations: { de: 'Winken' } }],
      async answer(interaction: Interaction) {
        if (!interaction.isUserContextMenuCommand()) return;
        await interaction.reply(`${interaction.user.displayName} waves at ${interaction.targetUser.displayName}.`);
      },
    });
    await page
      .getByRole('list', { name: 'Members' })
      .getByRole('button', { name: /^Tomás/ })
      .click();
    const menu = page.getByRole('dialog', { name: 'Tomás' });
    await menu.getByRole('region', { name: 'Apps' }).getByRole('button', { name: 'Wave at' }).click();
    await menu.waitFor({ state: 'hidden' });
    await expectText(page.getByRole('article').last(), 'Mira waves at Tomás.');
    expect(await page.locator('discord-command').last().getAttribute('command')).toBe('Wave at');
  });

  it('keep a choice that is on its way, however often the page is drawn meanwhile', async () => {
    const { discord, page } = await visitLocal(exporter);
    const [, tomas] = discord.members;
    await page.getByLabel('Acting as').selectOption('Tomás');
    await page.getByRole('button', { name: 'Profile' }).click();
    const profile = page.getByRole('dialog', { name: 'Tomás' });
    const sent = Promise.withResolvers<void>();
    await page.route('**/page/direct-messages', async (route) => {
      await sent.promise;
      await route.continue();
    });
    const choice = profile.getByLabel('Accepts direct messages');
    await choice.uncheck();
    const role = `/guilds/${discord.guildId}/members/${tomas?.id}/roles/${discord.roles.vip}`;
    await rest(discord)('PUT', role);
    await expectText(profile.getByRole('region', { name: 'Roles' }), 'VIP');
    expect(await choice.isChecked()).toBe(false);
    sent.resolve();
    await page.unrouteAll({ behavior: 'wait' });
    expect(await choice.isChecked()).toBe(false);
  });

  it('leave and join again, and accept no direct messages', async () => {
    const { discord, bot, page, messages } = await visitLocal(exporter);
    const [, tomas] = discord.members;
    const id = tomas?.id ?? '';
    await page.getByLabel('Acting as').selectOption('Tomás');
    await page.getByRole('button', { name: 'Profile' }).click();
    const profile = page.getByRole('dialog', { name: 'Tomás' });
    await profile.getByLabel('Accepts direct messages').uncheck();
    await expect.poll(() => bot.users.send(id, 'x').catch((error: { code: number }) => error.code)).toBe(50007);
    await profile.getByRole('button', { name: 'Leave the server' }).click();
    await profile.getByRole('button', { name: 'Join the server again' }).waitFor();
    await expect.poll(() => bot.users.send(id, 'x').catch((error: { code: number }) => error.code)).toBe(50278);
    await saveScreenshot(page, 'profile');
    await profile.getByRole('button', { name: 'Close' }).click();
    expect(await page.getByRole('button', { name: 'general' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Profile' }).click();
    await profile.getByRole('button', { name: 'Join the server again' }).click();
    await profile.getByLabel('Accepts direct messages').check();
    await profile.getByRole('button', { name: 'Close' }).click();
    await expect
      .poll(() =>
        bot.users.send(id, 'Welcome back.').then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    const conversation = page.getByRole('list', { name: 'Direct messages' }).getByRole('button');
    await conversation.click();
    await expectText(messages, 'Welcome back.');
    await page.getByLabel('Acting as').selectOption('Mira');
    await page.getByRole('button', { name: 'Profile' }).click();
    const owner = page.getByRole('dialog', { name: 'Mira' });
    expect(await owner.getByRole('button', { name: 'Leave the server' }).isDisabled()).toBe(true);
  });

  it('lose a deleted role, and the order of roles can be changed', async () => {
    const { discord, page } = await visitLocal(exporter);
    await page.getByRole('button', { name: 'Roles', exact: true }).click();
    const settings = page.getByRole('dialog', { name: 'Roles of the server' });
    const names = () => settings.locator('.role-chip').allInnerTexts();
    await expect
      .poll(names)
      .toEqual(['Owner', 'Moderator', 'tallyhook', 'VIP', 'Premium', 'Veteran', 'Regular', 'Voter']);
    await settings.getByRole('button', { name: 'Move down tallyhook' }).click();
    await expect.poll(async () => (await names())[2]).toBe('VIP');
    await settings.getByRole('button', { name: 'Delete Voter' }).click();
    await expect.poll(async () => (await names()).length).toBe(7);
    await settings.getByRole('button', { name: 'Move up Regular' }).click();
    await expect.poll(names).toEqual(['Owner', 'Moderator', 'VIP', 'tallyhook', 'Premium', 'Regular', 'Veteran']);
    expect(await settings.getByRole('button', { name: 'Delete tallyhook' }).isDisabled()).toBe(true);
    await saveScreenshot(page, 'role-settings');
    const path = `/guilds/${discord.guildId}/members/${discord.members[1]?.id}/roles/${discord.roles.vip}`;
    expect(await rest(discord)('PUT', path)).toMatchObject({ status: 403, json: { code: 50013 } });
  });
});

describe('direct messages on the page', { timeout: 60_000 }, () => {
  it('are counted while they wait, and their buttons work', async () => {
    const { discord, bot, page, messages } = await visitLocal(exporter);
    const [, tomas] = discord.members;
    const stop = { type: 1, components: [{ type: 2, style: 2, custom_id: 'stop', label: 'Stop' }] } as const;
    await bot.users.send(tomas?.id ?? '', 'You can vote again.');
    await bot.users.send(tomas?.id ?? '', { content: 'And again.', components: [stop] });
    const waiting = page.getByLabel('Acting as').locator('option', { hasText: 'Tomás (2 new)' });
    await waiting.waitFor({ state: 'attached' });
    await page.getByLabel('Acting as').selectOption('Tomás (2 new)');
    const conversation = page.getByRole('list', { name: 'Direct messages' }).getByRole('button');
    await expectText(conversation, '2 new');
    await saveScreenshot(page, 'direct-unread');
    await conversation.click();
    await expectText(messages.getByRole('article'), 'You can vote again.');
    await messages.getByRole('button', { name: 'Stop' }).click();
    await expectText(messages, 'Reminders are off.');
    expect(await conversation.innerText()).not.toContain('new');
    await page.getByLabel('Acting as').selectOption('Mira');
    expect(await conversation.getAttribute('data-channel-id')).toBe(null);
    expect(await messages.getByText('Reminders are off.').count()).toBe(0);
  });

  it('can be opened by a member, for commands', async () => {
    const { page, messages, type } = await visitLocal(exporter);
    const conversation = page.getByRole('list', { name: 'Direct messages' }).getByRole('button');
    await conversation.click();
    await expectText(messages, 'the beginning of your direct messages');
    await type('/export ');
    await page.keyboard.press('Enter');
    await expectText(messages, 'Your data.');
  });
});

describe('a modal on the page', { timeout: 60_000 }, () => {
  it('has labels, descriptions, texts and every kind of select', async () => {
    const { discord, page, messages, type } = await visitLocal(selectsBot);
    await type('/award ');
    await page.keyboard.press('Enter');
    const form = page.getByRole('dialog', { name: 'Award' });
    await expectText(form, /Choose .*Members.*Up to two\./s);
    const members = form.getByRole('group', { name: 'Members' });
    await form.getByRole('button', { name: 'Submit' }).click();
    expect(await form.isVisible()).toBe(true);
    await members.getByRole('checkbox', { name: '@Mira' }).check();
    await members.getByRole('checkbox', { name: '@Tomás' }).check();
    await form.getByLabel('Role').selectOption('@VIP');
    await form.getByLabel('Channel').selectOption('#general');
    await form.getByLabel('Item').selectOption('KEY – Item key');
    await saveScreenshot(page, 'award');
    await form.getByRole('button', { name: 'Submit' }).click();
    await expectText(messages, `"to":["mira","tomas.k"],"role":["VIP"],"where":["${discord.channels.general}"]`);
    await expectText(messages, '"kind":["key"]');
    expect(await form.isVisible()).toBe(false);
  });
});

describe('files on the page', { timeout: 60_000 }, () => {
  it('are downloaded, also from an ephemeral response', async () => {
    const { page, messages, type } = await visitLocal(exporter);
    await type('/export ');
    await page.keyboard.press('Enter');
    await expectText(messages, 'Only you can see this');
    const card = messages.locator('discord-file-attachment');
    expect(await card.getAttribute('name')).toBe('account.json');
    const downloading = page.waitForEvent('download');
    await card.getByRole('link').first().click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('account.json');
    expect(await text(await download.createReadStream())).toBe('{"credits":10}');
  });
});
