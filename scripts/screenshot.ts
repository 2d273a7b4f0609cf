/**
 * Takes the README's screenshot: starts a sandbox, uses its page for a moment in a headless
 * Chromium, and writes docs/sandbox.png.
 *
 *   node scripts/screenshot.ts [file]
 *
 * CHROMIUM_PATH names the browser, /usr/bin/chromium unless given.
 */
import { once } from 'node:events';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startSandbox } from '../src/sandbox/sandbox.ts';
import { launchBrowser } from './browser.ts';

const largest = 300 * 1024;
const file = process.argv[2] ?? join('docs', 'sandbox.png');

/** A vote, a forged one, a repeated one, and a command. */
async function play(page: Page): Promise<void> {
  const press = (name: RegExp) => page.getByRole('button', { name }).click();
  const delivered = (text: string) => page.locator('.delivery').first().filter({ hasText: text }).waitFor();
  const actAs = (name: string) => page.getByLabel('Acting as').selectOption(name);

  await press(/Vote for the bot/);
  await delivered('Announced');
  await press(/Break signature/);
  await delivered('Rejected');
  await actAs('Ayşe');
  await press(/Vote for the server/);
  await delivered('Announced');
  await page.getByRole('combobox', { name: 'Slash command' }).pressSequentially('/canvote ');
  await page.keyboard.press('Enter');
  await page.getByText('Only you can see this').waitFor();
  await press(/Repeat delivery/);
  await delivered('Duplicate');
  await page.getByRole('combobox', { name: 'Slash command' }).pressSequentially('/');
  // Move the pointer away, so that nothing is highlighted.
  await page.mouse.move(700, 24);
  await page.waitForTimeout(1200);
}

// No votes yet, so every member can vote.
const sandbox = await startSandbox({ seed: 'none' });
const browser = await launchBrowser();
try {
  while (!sandbox.discord.connected) await once(sandbox.discord.events, 'change');
  const page = await browser.newPage({ viewport: { width: 1360, height: 960 }, colorScheme: 'dark', locale: 'en-GB' });
  page.setDefaultTimeout(10_000);
  await page.goto(sandbox.urls.page);
  await page.getByText('Bot online').waitFor();
  await play(page);
  await writeFile(file, await page.screenshot());
} finally {
  await browser.close();
  await sandbox.stop();
}
const { size } = await stat(file);
console.log(`${file}: ${Math.round(size / 1024)} KB`);
if (size > largest) {
  console.error(`The picture is larger than ${largest / 1024} KB.`);
  process.exitCode = 1;
}
