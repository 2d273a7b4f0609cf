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
    await saveScreenshot(page, 'setup-welcome');
    const [server] = (await service.listings()).filter(({ kind }) => kind === 'server');
    if (server === undefined) throw new Error('The service has no listing.');
    const dashboard = messages.getByRole('link', { name: 'Where do I find it?' });
    expect(await dashboard.getAttribute('href')).toBe(`${sandbox.urls.service}/dashboard/${server.id}#advanced`);
    await messages.getByRole('button', { name: 'Paste an API key' }).click();

    // The form, by keyboard alone.
    const form = page.getByRole('dialog', { name: 'Link a listing' });
    await form.getByLabel('API key').waitFor();
    const key = await service.issueKey(server.id, 'For the bot');
    await tabTo(page, form.getByLabel('API key'));
    await page.keyboard.type(key);
    await saveScreenshot(page, 'setup-link');
    await page.keyboard.press('Enter');

    await expectText(messages, 'Waiting for your test');
    await expectText(hint, 'Enter the address and the secret from /setup');
    await saveScreenshot(page, 'setup-waiting');
    const codes = await messages.locator('discord-code').allInnerTexts();
    const [voteUrl = '', voteSecret = ''] = codes.map((code) => code.trim());
    await service.setWebhook(server.id, { voteUrl, voteSecret });
    await service.testWebhook(server.id, 'vote');
    await expectText(messages, 'The test has arrived');
    await expectText(hint, 'Press Vote');
    expect(await messages.innerText()).not.toContain(voteSecret);
    await saveScreenshot(page, 'setup-arrived');

    await messages.getByLabel('Choose the channel').selectOption('#votes');
    // The test arrived before there was a channel.
    const posted = () => discord.messages(discord.channels.announcements).map((each) => JSON.stringify(each));
    await expect.poll(posted, { timeout: 15_000 }).toEqual([expect.stringContaining('test')]);
    await messages.getByRole('button', { name: 'Simple' }).click();
    await expectText(messages, 'From now on, votes are rewarded');
    await expectText(messages, 'Give voters a role');
    expect(await messages.getByRole('link', { name: 'Vote now' }).getAttribute('href')).toContain(sandbox.urls.service);
    await saveScreenshot(page, 'setup-ready');
    await page.getByRole('button', { name: 'Show commands' }).click();
    await expectText(page.locator('.timeline'), 'mira chose a channel in /setup');
    expect(await page.locator('.timeline').innerText()).not.toContain('tallyhook:');
    await messages.getByRole('button', { name: 'Overview' }).click();
    await expectText(messages, 'Settings of this server');
    await expectText(messages, '3 of 6 done');
    await saveScreenshot(page, 'setup-overview');

    await page.locator('[data-vote="server"]').click();
    await expect.poll(() => posted().length, { timeout: 15_000 }).toBe(2);
    await expectText(page.locator('#balance'), '10 credits');

    await messages.getByRole('button', { name: 'Rewards', exact: true }).click();
    await messages.getByRole('button', { name: 'Credits', exact: true }).click();
    const credits = page.getByRole('dialog', { name: 'Credits' });
    await credits.getByLabel('Credits per vote').fill('25');
    await credits.getByRole('button', { name: 'Submit' }).click();
    await expectText(messages, /Per vote: 10 credits → 25 credits/);
    await expectText(messages, 'In the last 30 days, these rules would have paid 25 credits (before: 10).');
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
    await expectText(hint, 'Try this (4 of 8): Give voters a role');
    await press('Overview');
    await press('Roles');
    await press('Edit');
    await dialog.getByLabel('Role for voters').selectOption('@Voter');
    await submit();
    await expectText(messages, /Role for voters: not set →/);
    await page.getByRole('button', { name: '+12 hours' }).click();
    await page.locator('[data-vote="server"]').click();
    await expectText(hint, 'Try this (5 of 8): Open a shop');
    await press('Overview');
    await press('Shop');
    await press('Add a role');
    await dialog.getByLabel('Name').fill('VIP');
    await dialog.getByLabel('Price in credits').fill('10');
    await dialog.getByLabel('Role that the buyer gets').selectOption('@VIP');
    await submit();
    await expectText(messages, 'Saved');
    await press('Shop');
    await press('Add codes');
    await dialog.getByLabel('Name').fill('Key');
    await dialog.getByLabel('Price in credits').fill('50');
    const upload = { name: 'codes.txt', mimeType: 'text/plain', buffer: Buffer.from('AAA-1\nBBB-2') };
    await dialog.getByLabel('File with codes').setInputFiles(upload);
    await saveScreenshot(page, 'setup-codes');
    await submit();
    await expectText(messages, /Codes of an item: changed/);
    await run('/shop');
    await expectText(hint, 'Try this (6 of 8): “I voted and got nothing”');
    await run('/trace user:@mira');
    await expectText(hint, 'Try this (8 of 8): Open your dashboard');
    const [console_] = await Promise.all([
      page.context().waitForEvent('page'),
      hint.getByRole('link', { name: 'your dashboard' }).click(),
    ]);
    await console_.getByRole('link', { name: 'Sign in with Discord' }).waitFor();
    await console_.close();
    await expectText(hint, 'Done. Bring it to your server:');
    await saveScreenshot(page, 'setup-tour-done');
  });
});
