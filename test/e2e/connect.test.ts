import { expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { expectText, open, saveScreenshot } from './sandbox-page.ts';
import { violationsOf } from './violations.ts';

it('a browser is led from /setup over Discord and the service back to the bot', { timeout: 120_000 }, async () => {
  const sandbox = await startSandbox({ linked: false, seed: 'none' });
  onTestFinished(() => sandbox.stop());
  const { page, messages, line, type } = await open(sandbox.urls.page);
  const hasSetup = () => sandbox.discord.commands().some(({ name }) => name === 'setup');
  await expect.poll(hasSetup, { timeout: 30_000 }).toBe(true);
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
  await saveScreenshot(tab, 'connect-done');
  expect(tab.url().startsWith(`${sandbox.urls.bot}/connect/callback`)).toBe(true);
  await expectText(messages, 'The test has arrived');
});
