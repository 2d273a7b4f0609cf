import { violationsOf } from '@tallyhook/platform/testing/browser/violations';
import { expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { expectText, open, saveScreenshot } from './sandbox-page.ts';

it('a browser is led from /setup over Discord and the service back to the bot', { timeout: 120_000 }, async () => {
  const sandbox = await startSandbox({ linked: false, seed: 'none' });
  onTestFinished(() => sandbox.stop());
  const { page, messages, line, type } = await open(sandbox.urls.page);
  const hasSetup = () => sandbox.discord.commands().some(({ name }) => name === 'setup');
  await expect.poll(hasSetup, { timeout: 30_000 }).toBe(true);
  const fault = async (name: string) => {
    await page.getByRole('button', { name }).click();
    await expectText(page.locator('#trouble-result'), /./);
  };
  for (const name of ['Unknown event', 'Break signature']) {
    await fault(name);
    await expectText(page.locator('#trouble-result'), 'Link a listing with /setup first.');
  }
  expect(await page.locator('.delivery').count()).toBe(0);
  await line.click();
  await type('/setup ');
  await page.keyboard.press('Enter');
  const link = await messages.getByRole('link', { name: 'Connect', exact: true }).getAttribute('href');
  await saveScreenshot(page, 'connect-setup');

  const tab = await page.context().newPage();
  await tab.goto(link ?? '');
  await tab.getByRole('link', { name: 'Sign in with Discord' }).click();
  await saveScreenshot(tab, 'connect-sign-in');
  await tab.getByRole('button', { name: 'Authorize' }).click();
  await tab.getByRole('heading', { name: 'Connect a bot' }).waitFor();
  await saveScreenshot(tab, 'connect-consent');
  expect(await violationsOf(tab, [])).toEqual([]);
  // Chromium applies the policy of the page to where the form leads.
  await tab.getByRole('button', { name: 'Connect' }).click();
  await tab.getByRole('heading', { name: 'Connected' }).waitFor();
  await tab.locator('.server').getByText('Lantern Harbour', { exact: true }).waitFor();
  const back = tab.getByRole('link', { name: 'Back to Discord' });
  expect(await back.getAttribute('href')).toBe(`https://discord.com/channels/${sandbox.discord.guildId}`);
  expect(await tab.getByRole('listitem').allInnerTexts()).toHaveLength(2);
  const background = () => back.evaluate((link) => getComputedStyle(link).backgroundColor);
  expect(await background()).toBe('rgb(63, 81, 181)');
  expect(await violationsOf(tab, [])).toEqual([]);
  await saveScreenshot(tab, 'connect-done');
  await tab.emulateMedia({ colorScheme: 'dark' });
  await saveScreenshot(tab, 'connect-done-dark');
  expect(tab.url().startsWith(`${sandbox.urls.bot}/connect/callback`)).toBe(true);
  await tab.reload();
  await tab.getByRole('heading', { name: 'Not connected' }).waitFor();
  expect(await background()).toBe('rgb(159, 171, 245)');
  await saveScreenshot(tab, 'connect-failed-dark');
  await expectText(messages, 'The test has arrived');

  const test = page.locator('.delivery').filter({ hasText: 'Test: Server vote' });
  await expectText(test, 'Not announced: no channel is chosen');
  await messages.getByLabel('Choose the channel').selectOption('#votes');
  await expectText(test.locator('.track'), /Received .*Verified .*Test .*Announced/);
  expect(await test.locator('.track').innerText()).not.toContain('Not announced');
  await fault('Unknown event');
  await expectText(page.locator('.delivery').filter({ hasText: 'server_boost' }), 'Quarantined');
  await fault('Break signature');
  await expectText(
    page.locator('.delivery').filter({ hasText: 'Server vote by mira' }),
    'Rejected (401): The signature',
  );
  const commands = page.locator('.timeline').getByText('responded after');
  expect(await commands.count()).toBe(0);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await saveScreenshot(page, `timeline-${colorScheme}`);
  }
  await page.getByRole('button', { name: 'Show commands' }).click();
  await expect.poll(() => commands.count()).toBeGreaterThan(1);
  await page.getByRole('button', { name: 'Hide commands' }).click();
  expect(await commands.count()).toBe(0);
});
