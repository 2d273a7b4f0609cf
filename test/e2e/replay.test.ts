import { join } from 'node:path';
import { sharedBrowser } from '@tallyhook/platform/testing/browser/shared-browser';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveFolder } from '../../scripts/links/visit-site.ts';
import { buildReplay } from '../../scripts/replay/build.ts';
import { record } from '../../scripts/replay/record.ts';
import { expectText, saveScreenshot } from './sandbox-page.ts';

describe('the recording on the site', { timeout: 180_000 }, () => {
  it('answers a vote and commands as the sandbox did, in any folder of a host and without a server', async () => {
    const root = tempDir();
    await buildReplay(join(root, 'tallyhook', 'try'), await record(['server']));
    const { origin, close } = await serveFolder(root);
    onTestFinished(close);
    const context = await (await sharedBrowser()).newContext({ viewport: { width: 1360, height: 820 } });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('response', (response) => response.status() >= 400 && problems.push(response.url()));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(`${origin}tallyhook/try/`) && !url.startsWith('data:')) problems.push(url);
    });
    await page.goto(`${origin}tallyhook/try/index.html`);
    await page.getByText('Bot online').waitFor();

    const messages = page.getByRole('log', { name: 'Messages' });
    const notice = page.locator('.replay-notice');
    const run = async (command: string) => {
      await page.getByRole('combobox', { name: 'Slash command' }).pressSequentially(`${command} `);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Enter');
    };
    await run('/credits');
    await expectText(messages, '0 credits');
    await page.getByRole('button', { name: 'Vote for the server' }).click();
    await expectText(page.locator('.delivery'), 'Announced');
    await expectText(messages.locator('[data-message-id]').last(), '+10 credits');
    await expectText(page.locator('#balance'), '10 credits');
    await run('/canvote');
    await expectText(messages, 'in 12 hours');
    await run('/leaderboard');
    await expectText(messages, '🥇');
    await expectText(page.locator('#hint-panel'), 'Try this (3 of 8)');
    // Each answer is a message of its own, of now.
    await run('/canvote');
    await expect.poll(() => messages.locator('discord-command').count()).toBe(4);
    const times = await page.locator('.delivery time').first().getAttribute('datetime');
    expect(Math.abs(Date.now() - Date.parse(times ?? ''))).toBeLessThan(120_000);
    await saveScreenshot(page, 'replay');

    await page.getByRole('button', { name: 'Vote for the bot' }).click();
    await expectText(page.locator('#vote-result'), 'This recording has no answer for that');
    await expectText(notice, 'Run it on your machine: npm ci && npm start');
    await page.getByRole('button', { name: 'Start again' }).click();
    await expectText(notice, 'A recording of the sandbox');
    await page.getByText('Bot online').waitFor();
    await page.getByRole('link', { name: 'Open its website' }).click();
    await expectText(notice, 'This recording has no answer for that');
    expect(context.pages()).toHaveLength(1);
    expect(problems).toEqual([]);
  });
});
