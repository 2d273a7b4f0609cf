import { describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { expectText, open, saveScreenshot, tabTo } from './sandbox-page.ts';

/** A sandbox whose bot was invited, and knows no listing yet. */
async function invited() {
  const sandbox = await startSandbox({ linked: false, seed: 'none' });
  onTestFinished(() => sandbox.stop());
  return { sandbox, ...(await open(sandbox.urls.page)) };
}

describe('/setup on the page', { timeout: 90_000 }, () => {
  it('leads from the invitation to a paid vote, and takes a change back', async () => {
    const { sandbox, page, messages, line, type } = await invited();
    const { discord, service } = sandbox;
    const hint = page.locator('#hint-panel');
    await expectText(hint, 'and link Lantern Harbour');
    await expect.poll(() => discord.commands().some(({ name }) => name === 'setup'), { timeout: 15_000 }).toBe(true);
    await line.click();
    await type('/setup ');
    await page.keyboard.press('Enter');
    await messages.getByRole('button', { name: 'Link a listing' }).click();

    // The form, by keyboard alone.
    const form = page.getByRole('dialog', { name: 'Link a listing' });
    await form.getByLabel('API key').waitFor();
    const [server] = (await service.listings()).filter(({ kind }) => kind === 'server');
    if (server === undefined) throw new Error('The service has no listing.');
    const key = await service.issueKey(server.id, 'For the bot');
    expect(await form.getByRole('radio', { name: 'This server' }).isChecked()).toBe(true);
    expect(await form.getByLabel('Discord ID of the server or bot').inputValue()).toBe(discord.guildId);
    await tabTo(page, form.getByRole('radio', { name: 'This server' }));
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await tabTo(page, form.getByLabel('API key'));
    await page.keyboard.type(key);
    await saveScreenshot(page, 'setup-link');
    await page.keyboard.press('Enter');

    await expectText(messages, 'Waiting for your test');
    await expectText(hint, 'Enter the addresses and secrets from /setup');
    await saveScreenshot(page, 'setup-waiting');
    const codes = await messages.locator('discord-code').allInnerTexts();
    const [voteUrl = '', voteSecret = '', premiumUrl = '', premiumSecret = ''] = codes.map((code) => code.trim());
    await service.setWebhook(server.id, { voteUrl, voteSecret, premiumUrl, premiumSecret });
    await service.testWebhook(server.id, 'vote');
    await expectText(messages, 'The test has arrived');
    await expectText(hint, 'Press Vote');
    expect(await messages.innerText()).not.toContain(voteSecret);
    await saveScreenshot(page, 'setup-arrived');

    await messages.getByLabel('Choose the channel').selectOption('#votes');
    await messages.getByRole('button', { name: 'Simple' }).click();
    await expectText(messages, 'From now on, votes are rewarded');
    await expectText(page.locator('.timeline'), 'mira chose a channel in /setup');
    expect(await page.locator('.timeline').innerText()).not.toContain('tallyhook:');
    await messages.getByRole('button', { name: 'Overview' }).click();
    await expectText(messages, 'Settings of this server');
    await saveScreenshot(page, 'setup-overview');

    await page.locator('[data-vote="server"]').click();
    await expect.poll(() => discord.messages(discord.channels.announcements).length, { timeout: 15_000 }).toBe(1);
    await expectText(page.locator('#balance'), '10 credits');

    await messages.getByRole('button', { name: 'Rewards', exact: true }).click();
    await messages.getByRole('button', { name: 'Credits', exact: true }).click();
    const credits = page.getByRole('dialog', { name: 'Credits' });
    await credits.getByLabel('Credits per vote').fill('25');
    await credits.getByRole('button', { name: 'Submit' }).click();
    await expectText(messages, /Per vote: 10 credits → 25 credits/);
    await saveScreenshot(page, 'setup-saved');
    await messages.getByRole('button', { name: 'Undo' }).click();
    await expectText(messages, /Per vote: 25 credits → 10 credits/);

    // The rest of the tour.
    const press = (name: string) => messages.getByRole('button', { name, exact: true }).last().click();
    const dialog = page.locator('#modal');
    const submit = () => dialog.getByRole('button', { name: 'Submit' }).click();
    const run = async (command: string) => {
      await type(`${command} `);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Enter');
    };
    await expectText(hint, 'Try this (4 of 7): Give voters a role');
    await press('Overview');
    await press('Roles');
    await press('Edit');
    await dialog.getByLabel('Role for voters').selectOption('@Voter');
    await submit();
    await expectText(messages, /Role for voters: not set →/);
    await page.getByRole('button', { name: '+12 hours' }).click();
    await page.locator('[data-vote="server"]').click();
    await expectText(hint, 'Try this (5 of 7): Open a shop');
    await press('Overview');
    await press('Shop');
    await press('Add a role');
    await dialog.getByLabel('Name').fill('VIP');
    await dialog.getByLabel('Price in credits').fill('10');
    await dialog.getByLabel('Role that the buyer gets').selectOption('@VIP');
    await submit();
    await run('/shop');
    await expectText(hint, 'Try this (6 of 7): “I voted and got nothing”');
    await run('/trace user:@mira');
    await expectText(hint, 'Done. Bring it to your server:');
    await saveScreenshot(page, 'setup-tour-done');
  });
});
