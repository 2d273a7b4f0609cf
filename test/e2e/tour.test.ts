import { sharedBrowser } from '@tallyhook/platform/testing/browser/shared-browser';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StartOver } from '../../src/sandbox/page/ports.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { wholeSandbox } from '../support/whole-sandbox.ts';
import { expectText, saveScreenshot, visitSandbox } from './sandbox-page.ts';

const hint = (page: Page) => page.locator('#hint-panel');
const vote = (page: Page) => page.getByRole('button', { name: 'Vote for the server Lantern Harbour' });

async function run(page: Page, command: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Slash command' }).pressSequentially(`${command} `);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
}

/** As the command line offers it. */
const commandLine = { program: 'npm run tallyhook', startOver() {} };

describe('the tours', { timeout: 60_000 }, () => {
  it('lead a member through votes on every site, a reminder and the shop, to the command that goes live', async () => {
    const { page, messages } = await visitSandbox({}, { history: true, commandLine });
    await expectText(hint(page), 'Try this (1 of 8): Press Vote for the server');
    await vote(page).click();
    await expectText(hint(page), 'Try this (2 of 8): Type /canvote');
    await run(page, '/canvote');
    await expectText(messages, 'You can perhaps vote for');
    const link = messages.locator('discord-button[url*="/bot/"]');
    expect(await link.getAttribute('url')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/bot\/\d+\/vote\?as=\d+$/);
    await expectText(hint(page), 'Try this (3 of 8): Vote for the bot and on the other sites');
    for (const name of [
      'Vote for the bot Quartermaster',
      'Vote on top.gg Quartermaster',
      'Vote on Disurl Lantern Harbour',
    ])
      await page.getByRole('button', { name }).click();
    await expectText(page.locator('.delivery'), 'Disurl vote by mira');
    await expectText(hint(page), 'Try this (4 of 8): Type /credits');
    await run(page, '/credits');
    await expectText(hint(page), 'Try this (5 of 8): A season has ended');
    await run(page, '/leaderboard');
    await expectText(messages, 'Most votes of a week: #1');
    await expectText(hint(page), 'Try this (6 of 8): Press Remind me');
    await messages.getByRole('button', { name: 'Remind me' }).last().click();
    await expectText(hint(page), 'Try this (7 of 8): Press +12 hours');
    await page.getByRole('button', { name: '+12 hours' }).click();
    await expectText(hint(page), 'Try this (8 of 8): Spend your credits');
    await run(page, '/shop');
    await messages.getByRole('button', { name: 'Buy' }).first().click();
    expect(await hint(page).innerText()).toContain('Try this (8 of 8)');
    await messages.getByRole('button', { name: 'Confirm' }).click();
    await expectText(hint(page), 'Done. Bring it to your server:');
    expect(await hint(page).locator('code').innerText()).toBe('npm run tallyhook init');
    await saveScreenshot(page, 'tour-done');
    await hint(page).getByRole('button', { name: 'Next tour: I own a server' }).click();
    await expectText(hint(page), 'This tour begins with a bot that was just invited');
  });

  it('lead the operator through console, faults and doctor', async () => {
    const { page } = await visitSandbox({}, { seed: 'none' });
    await hint(page).getByRole('button', { name: 'I run it' }).click();
    await expectText(hint(page), 'Try this (1 of 5): Open the owner console');
    const [console_] = await Promise.all([
      page.context().waitForEvent('page'),
      hint(page).getByRole('link', { name: 'owner console' }).click(),
    ]);
    await console_.getByRole('heading', { name: 'Overview' }).waitFor();
    await console_.close();
    await expectText(hint(page), 'Try this (2 of 5): Press Discord down');
    await page.getByRole('button', { name: 'Repeat delivery' }).click();
    await expectText(page.locator('#trouble-result'), 'No deliveries yet');
    await vote(page).click();
    await expectText(page.locator('.delivery'), 'Announced');
    expect(await hint(page).innerText()).toContain('2 of 5');
    await page.getByRole('button', { name: 'Discord down' }).click();
    await page.getByRole('button', { name: 'Vote for the bot' }).click();
    await expectText(page.locator('.delivery'), 'Waiting');
    await hint(page).filter({ hasText: 'Try this (3 of 5): Press Repeat delivery' }).waitFor({ timeout: 30_000 });
    await page.getByRole('button', { name: 'Repeat delivery' }).click();
    await expectText(hint(page), 'Try this (4 of 5): Press Break signature');
    await page.getByRole('button', { name: 'Break signature' }).click();
    await expectText(hint(page), 'Try this (5 of 5): Press Run doctor');
    await page.getByRole('button', { name: 'Run doctor' }).click();
    const doctor = page.getByRole('dialog', { name: 'Doctor' });
    await expectText(doctor, 'Votes of quartermaster on top.gg are signed.');
    expect(await doctor.locator('.fail').allInnerTexts()).toEqual([]);
    await doctor.getByRole('button', { name: 'Close' }).click();
    await expectText(hint(page), 'Done.');
  });

  it('lead the owner of a server to the dashboard, by the link of /setup as well', async () => {
    const { page, messages, sandbox } = await visitSandbox({}, { seed: 'none' });
    await run(page, '/setup');
    const link = messages.locator('discord-button', { hasText: 'Open on the web' });
    await link.waitFor();
    // Another origin than that of the page with the tour.
    const dashboard = await page.context().browser()?.newPage();
    if (dashboard === undefined) throw new Error('no browser');
    onTestFinished(() => dashboard.close());
    await dashboard.goto(`${sandbox.urls.page}/dashboard`);
    await dashboard.getByRole('link', { name: 'Sign in with Discord' }).click();
    await dashboard.getByRole('combobox').selectOption('mira');
    await dashboard.getByRole('button', { name: 'Authorize' }).click();
    await dashboard.getByRole('heading', { name: 'Overview' }).waitFor();
    await dashboard.getByRole('button', { name: 'Sign out mira' }).waitFor();
    await dashboard.goto((await link.getAttribute('url')) ?? '');
    await dashboard.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Rewards' }).click();
    expect(await dashboard.getByLabel('Credits per vote').inputValue()).toBe('10');
  });

  it('start over without listings, in the open page, and the other sandbox keeps what was done', async () => {
    const directory = tempDir();
    let chosen: StartOver | undefined;
    const startOver = (next: StartOver) => {
      chosen = next;
    };
    const first = await startSandbox({ seed: 'none', directory, commandLine: { ...commandLine, startOver } });
    const ports = { page: Number(new URL(first.urls.page).port), service: 0 };
    // The browser reports the lost connection as an error, so not with `open`.
    const context = await (await sharedBrowser()).newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(first.urls.page);
    await vote(page).click();
    await expectText(hint(page), '2 of 8');
    await run(page, '/canvote');
    await expectText(hint(page), '3 of 8');
    await hint(page).getByRole('button', { name: 'I own a server' }).click();
    await hint(page).getByRole('button', { name: 'Begin without listings' }).click();
    await expect.poll(() => chosen).toEqual({ linked: false, tour: 'own' });
    // As the command line does.
    await first.stop();
    const second = await startSandbox({ seed: 'none', linked: false, ports, commandLine });
    await expectText(hint(page), /Try this \(1 of \d+\): Type \/setup and link Lantern Harbour/);
    await vote(page).click();
    await expectText(
      page.locator('#vote-result'),
      'Vote for Lantern Harbour recorded. No webhook is set up for it, so tallyhook does not hear of this vote.',
    );
    expect(await page.locator('.delivery').count()).toBe(0);
    await expectText(hint(page), 'Try this (1 of');
    await hint(page).getByRole('button', { name: 'I vote' }).click();
    await expectText(hint(page), 'This tour is about a bot that knows its listings');
    await page.reload();
    await expectText(hint(page), 'This tour is about a bot that knows its listings');
    await second.stop();
    await wholeSandbox({ seed: 'none', directory, ports });
    // With the tour that was chosen there.
    await expectText(hint(page), 'This tour begins with a bot that was just invited');
    await hint(page).getByRole('button', { name: 'I vote' }).click();
    await expectText(hint(page), 'Try this (3 of 8)');
    await page.reload();
    await expectText(hint(page), 'Try this (3 of 8)');
  });

  it('lead on a phone to the view and to the control of each step', async () => {
    const { page } = await visitSandbox({ viewport: { width: 390, height: 780 } }, { seed: 'none' });
    const go = page.locator('#hint-go');
    await expectText(hint(page), 'Press Vote');
    expect(await go.innerText()).toBe('Go to Listing service');
    await saveScreenshot(page, 'tour-phone');
    await go.click();
    expect(await go.isVisible()).toBe(false);
    await vote(page).click();
    await expectText(hint(page), 'Type /canvote');
    expect(await go.innerText()).toBe('Go to Discord');
    await go.click();
    await run(page, '/canvote');
    await expectText(hint(page), 'on the other sites');
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);
  });
});
