import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';
import { expectText, saveScreenshot, visitSandbox } from './sandbox-page.ts';

const hint = (page: Page) => page.locator('#hint-panel');
const vote = (page: Page) => page.getByRole('button', { name: 'Vote for the server Lantern Harbour' });

async function run(page: Page, command: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Slash command' }).pressSequentially(`${command} `);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
}

describe('"Try this"', { timeout: 60_000 }, () => {
  it('continues after a reload, and after a restart of the sandbox', async () => {
    const directory = tempDir();
    const { sandbox, page } = await visitSandbox({}, { seed: 'none', directory });
    await vote(page).click();
    await expectText(hint(page), 'Try this (2 of 10)');
    await page.getByRole('button', { name: 'Profile' }).click();
    await page.getByRole('dialog', { name: 'mira' }).getByRole('button', { name: 'Close' }).click();
    await expectText(hint(page), 'Try this (3 of 10): Type /canvote');
    await run(page, '/canvote');
    await expectText(hint(page), 'Try this (4 of 10)');
    await page.reload();
    await expectText(hint(page), 'Try this (4 of 10)');
    await page.context().close();
    await sandbox.stop();
    const again = await visitSandbox({}, { seed: 'none', directory });
    await expectText(hint(again.page), 'Try this (4 of 10)');
  });

  it('leads on a phone to the view and to the control of each step', async () => {
    const { page } = await visitSandbox({ viewport: { width: 390, height: 780 } }, { seed: 'none' });
    const go = hint(page).getByRole('button');
    await expectText(hint(page), 'Press Vote');
    expect(await go.innerText()).toBe('Go to Listing service');
    await saveScreenshot(page, 'tour-phone');
    await go.click();
    expect(await go.isVisible()).toBe(false);
    await vote(page).click();
    await expectText(hint(page), 'Press the picture beside “Acting as”');
    expect(await go.innerText()).toBe('Go to Discord');
    await go.click();
    await page.getByRole('button', { name: 'Profile' }).click();
    const profile = page.getByRole('dialog', { name: 'mira' });
    await expectText(profile.getByRole('region', { name: 'Roles' }), 'Voter');
    await profile.getByRole('button', { name: 'Close' }).click();
    await expectText(hint(page), 'Type /canvote');
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);
  });

  it('begins with /setup if no listing is linked, and says that a vote is not delivered', async () => {
    const { page } = await visitSandbox({}, { linked: false });
    await expectText(hint(page), /Try this \(1 of \d+\): Type \/setup and link Lantern Harbour/);
    await vote(page).click();
    await expectText(
      page.locator('#vote-result'),
      'Vote for Lantern Harbour recorded. No webhook is set up for it, so tallyhook does not hear of this vote.',
    );
    expect(await page.locator('.delivery').count()).toBe(0);
    await expectText(hint(page), 'Try this (1 of');
  });
});
