import type { Repertoire } from 'local-discord/testing/bot';
import { voteBot } from 'local-discord/testing/vote-bot';
import { describe, expect, it } from 'vitest';
import { expectText, saveScreenshot, visitLocal, visitSandbox } from './sandbox-page.ts';

/** A command of the app that members add to their account, beside one of the guild. */
const ofAccount: Repertoire = {
  commands: [
    { name: 'canvote', description: 'In the guild.' },
    { name: 'anywhere', description: 'Of the account.', integration_types: [0, 1], contexts: [0, 1, 2] },
  ],
  async answer(interaction) {
    if (interaction.isRepliable()) await interaction.reply('Done.');
  },
};

describe('the picker of commands', { timeout: 60_000 }, () => {
  it('offers the commands of managers to managers only', async () => {
    const { page, type } = await visitSandbox({}, { seed: 'none' });
    const picker = page.getByRole('listbox', { name: 'Suggestions' });
    await type('/');
    for (const name of ['/setup', '/award', '/trace']) await expectText(picker, name);
    await page.getByLabel('Acting as').selectOption('old_salt');
    await page.getByRole('combobox', { name: 'Slash command' }).click();
    await expectText(picker, '/canvote');
    for (const name of ['/setup', '/award', '/trace']) expect(await picker.innerText()).not.toContain(name);
  });
});

describe('the channels of the page', { timeout: 60_000 }, () => {
  it('are only those in which a command can be used', async () => {
    const { page } = await visitLocal(voteBot);
    await page.getByRole('button', { name: 'general' }).waitFor();
    for (const name of ['elsewhere', 'a group']) expect(await page.getByRole('button', { name }).count()).toBe(0);
    expect(await page.getByRole('heading', { name: 'Another server' }).isVisible()).toBe(false);
  });

  it('include another server and a group for the commands of one’s account', async () => {
    const { page, messages, type } = await visitLocal(ofAccount);
    await page.getByRole('list', { name: 'Another server' }).getByRole('button', { name: 'elsewhere' }).click();
    await expectText(messages, 'the #elsewhere channel of another server, of which tallyhook is no member');
    await type('/');
    const picker = page.getByRole('listbox', { name: 'Suggestions' });
    expect(await picker.getByRole('option').allInnerTexts()).toEqual([expect.stringContaining('/anywhere')]);
    await type('anywhere ');
    await page.keyboard.press('Enter');
    await expectText(messages, 'Done.');
    await saveScreenshot(page, 'another-server');
    await page.getByRole('list', { name: 'Direct messages' }).getByRole('button', { name: 'a group' }).click();
    await expectText(messages, 'a conversation of several people');
  });
});

describe('the time of the page', { timeout: 60_000 }, () => {
  it('separates the days of the timeline, and is right again as soon as the page is visible', async () => {
    const { page } = await visitSandbox({}, { seed: 'none' });
    const forward = page.getByRole('button', { name: '+12 hours' });
    const days = page.locator('.timeline .day');
    await expectText(page.locator('.timeline'), 'The bot is connected');
    expect(await days.count()).toBe(0);
    for (const lead of ['12 hours ahead', '1 day ahead', '1½ days ahead']) {
      await forward.click();
      await expectText(page.locator('#sandbox-time'), lead);
    }
    const shown = await days.allInnerTexts();
    // 36 hours later it is the next day, or the one after it.
    expect([2, 3]).toContain(shown.length);
    expect(new Set(shown).size).toBe(shown.length);
    await page.reload();
    await expect.poll(() => days.allInnerTexts()).toEqual(shown);

    const clock = page.locator('#sandbox-time');
    // The clock of the browser jumps, as if the page had slept with another idea of the time.
    await page.evaluate('{ const { now } = Date; Date.now = () => now() + 26 * 86_400_000; }');
    const jumped = await page.evaluate<string>(
      "new Intl.DateTimeFormat(undefined, { dateStyle: 'short' }).format(Date.now())",
    );
    const synchronized = page.waitForResponse('**/page/time');
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    expect((await synchronized).status()).toBe(200);
    await expect.poll(() => clock.innerText()).toMatch(/^\d/);
    await expect.poll(() => clock.innerText()).not.toContain(jumped);
  });
});
