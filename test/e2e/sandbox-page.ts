import { join } from 'node:path';
import { sharedBrowser } from '@tallyhook/platform/testing/browser/shared-browser';
import type { LocalDiscordOptions } from 'local-discord';
import { type Repertoire, startBot } from 'local-discord/testing/bot';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect, onTestFinished, vi } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { service } from '../sandbox/page-ports.ts';
import { localDiscord } from '../support/local-discord.ts';
import { wholeSandbox } from '../support/whole-sandbox.ts';

export const defaultTimeoutMs = 10_000;

/** Starts only a local Discord with a bot, and opens its page, by default with the panels of the sandbox. */
export async function visitLocal(
  repertoire: Repertoire,
  options: BrowserContextOptions = {},
  discordOptions: LocalDiscordOptions = service().options,
) {
  const discord = await localDiscord(discordOptions);
  const bot = await startBot(discord, repertoire);
  return { discord, bot, ...(await open(discord.origin, options)) };
}

/** Starts the complete sandbox and opens its page. */
export async function visitSandbox(options: BrowserContextOptions = {}, sandboxOptions: SandboxOptions = {}) {
  const sandbox = await wholeSandbox(sandboxOptions);
  const registered = sandbox.app.commandData().map(({ name }) => name);
  // The commands are registered one by one; a page that opens earlier offers only some of them.
  const names = () => sandbox.discord.commands().map(({ name }) => name);
  await vi.waitFor(() => expect(names()).toEqual(expect.arrayContaining(registered)), { timeout: defaultTimeoutMs });
  return { sandbox, ...(await open(sandbox.urls.page, options)) };
}

/** Opens the page. Errors, warnings and requests to other origins fail the test. @param connection waits until it says this */
export async function open(address: string, options: BrowserContextOptions = {}, connection = 'Bot online') {
  const browser = await sharedBrowser();
  const context = await browser.newContext({ viewport: { width: 1360, height: 820 }, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(defaultTimeoutMs);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && problems.push(message.text()));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== address) problems.push(`requested ${request.url()}`);
  });
  onTestFinished(() => expect(problems).toEqual([]));
  await page.goto(address);
  await page.getByText(connection).waitFor();
  const messages = page.getByRole('log', { name: 'Messages' });
  const line = page.getByRole('combobox', { name: 'Slash command' });
  return { page, messages, line, type: (text: string) => line.pressSequentially(text) };
}

/** Waits until an element that matches the locator contains the text. Fails after the default timeout. */
export async function expectText(locator: Locator, text: string | RegExp): Promise<void> {
  await locator.filter({ hasText: text }).first().waitFor();
}

/** Saves a screenshot for visual review. */
export async function saveScreenshot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join('artifacts', `sandbox-${name}.png`) });
}

/** Presses Tab until the control has the focus. */
export async function tabTo(page: Page, control: Locator): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    if ((await control.and(page.locator(':focus')).count()) === 1) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('The control cannot be reached with the keyboard.');
}
