import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { createLog } from '../../src/log.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { tempDir } from '../support/temp-dir.ts';

const patience = 10_000;

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });
});
afterAll(() => browser.close());

/** The whole sandbox, and its page in a browser that notes whatever goes wrong or leaves this machine. */
async function visit(options: BrowserContextOptions = {}) {
  const quiet = createLog({ level: 'silent', secrets: [] });
  const sandbox = await startSandbox({
    directory: tempDir(),
    environment: { PORT: '0' },
    ports: { page: 0, service: 0 },
    clock: systemClock,
    log: quiet,
    botLog: () => quiet,
  });
  onTestFinished(() => sandbox.stop());
  const context = await browser.newContext({ viewport: { width: 1360, height: 820 }, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  const troubles: string[] = [];
  page.on('pageerror', (error) => troubles.push(String(error)));
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && troubles.push(message.text()));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== sandbox.urls.page) troubles.push(`asked for ${request.url()}`);
  });
  onTestFinished(() => expect(troubles).toEqual([]));
  await page.goto(sandbox.urls.page);
  await page.getByText('Bot online').waitFor();
  const messages = page.getByRole('log', { name: 'Messages' });
  const line = page.getByRole('combobox', { name: 'Slash command' });
  return { sandbox, page, messages, line, type: (text: string) => line.pressSequentially(text) };
}

async function shown(locator: Locator, text: string | RegExp): Promise<void> {
  await locator.filter({ hasText: text }).first().waitFor();
}

const vote = (page: Page) => page.getByRole('button', { name: /Vote for Lantern Harbour/ });

describe('the sandbox', { timeout: 60_000 }, () => {
  it('lets a newcomer vote, and shows the announcement, the credits and the way there', async () => {
    const { page, messages } = await visit();
    await shown(page.locator('.balance'), '0 credits');
    await vote(page).click();
    const embed = messages.locator('.embed');
    await shown(embed, /@mira voted for Lantern Harbour\.\s+\+10 credits/);
    await shown(page.locator('.balance'), 'mira has 10 credits');
    await shown(page.locator('#vote-result'), 'recorded');
    await shown(page.locator('.timeline'), /The bot wrote in #votes[\s\S]*recorded, 10 credits[\s\S]*signed webhook/);
    await shown(page.locator('.hints li').first(), 'Done:');
    await vote(page).click();
    await shown(page.locator('#vote-result'), /Already voted .* in 12 hours/);
    await page.getByLabel('Acting as').selectOption('tobias_k');
    await shown(page.locator('.balance'), 'tobias_k has 0 credits');
  });

  it('is used with the keyboard alone, from the picker to the answer', async () => {
    const { page, messages, line, type } = await visit();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await type('/');
    const picker = page.getByRole('listbox', { name: 'Suggestions' });
    expect(await picker.getByRole('option').count()).toBe(3);
    expect(await line.getAttribute('aria-activedescendant')).toBe('suggestion-0');
    await page.keyboard.press('ArrowDown');
    await shown(picker.locator('[aria-selected=true]'), '/reviews');
    await page.keyboard.press('Enter');
    await shown(picker.getByRole('option'), 'sort:');
    await type('sort:');
    await shown(picker.getByRole('option'), 'highest');
    await type('low');
    await page.keyboard.press('Tab');
    expect(await line.inputValue()).toBe('/reviews sort:lowest ');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await shown(messages, '★☆☆☆☆');
    expect(await line.inputValue()).toBe('');
    await type('/reviews limit:99');
    await page.keyboard.press('Enter');
    await shown(page.getByRole('alert'), 'limit cannot be “99”');
  });

  it('turns the pages of the reviews, and the focus stays where it was', async () => {
    const { page, messages, type } = await visit();
    await type('/reviews ');
    await page.keyboard.press('Enter');
    await shown(messages, '10 of 31 reviews · page 1 of 2');
    const next = messages.getByRole('button', { name: 'Next' });
    await next.focus();
    await page.keyboard.press('Enter');
    await shown(messages, 'page 2 of 2');
    expect(await next.isDisabled()).toBe(true);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Previous');
    await page.keyboard.press('Enter');
    await shown(messages, 'page 1 of 2');
  });

  it('shows an ephemeral answer to the one who asked, until it is dismissed', async () => {
    const { page, messages, type } = await visit();
    await type('/canvote ');
    await page.keyboard.press('Enter');
    await shown(messages, 'Only you can see this');
    await shown(messages, 'You can vote for Lantern Harbour now.');
    expect(await messages.getByRole('link', { name: 'Vote' }).getAttribute('rel')).toBe('noopener noreferrer');
    await page.getByLabel('Acting as').selectOption('tobias_k');
    expect(await messages.getByText('Only you can see this').count()).toBe(0);
    await page.getByLabel('Acting as').selectOption('mira');
    await messages.getByRole('button', { name: 'Dismiss message' }).click();
    expect(await messages.getByText('Only you can see this').count()).toBe(0);
  });

  it('shows what is foreign as text, whatever it contains', async () => {
    const { page, messages, type } = await visit();
    await type('/reviews limit:50');
    await page.keyboard.press('Enter');
    await shown(messages, 'page 1 of');
    const next = messages.getByRole('button', { name: 'Next' });
    while ((await messages.getByText('<lighthouse>').count()) === 0 && (await next.isEnabled())) {
      const before = await messages.locator('.embed-footer').textContent();
      await next.click();
      await messages
        .locator('.embed-footer')
        .filter({ hasNotText: before ?? '' })
        .waitFor();
    }
    expect(await messages.getByText('<lighthouse>').count()).toBe(1);
    expect(await page.locator('lighthouse').count()).toBe(0);
  });

  it('says when the bot is gone, and when it does not answer', async () => {
    const { sandbox, page, messages, type } = await visit();
    await sandbox.app.stop();
    await page.getByText('Bot offline').waitFor();
    await type('/canvote ');
    await page.keyboard.press('Enter');
    await shown(messages, 'Sending command');
    await shown(messages, 'The application did not respond');
    await messages.getByRole('button', { name: 'Dismiss message' }).click();
    expect(await messages.getByText('The application did not respond').count()).toBe(0);
  });

  it.each(['dark', 'light'] as const)('fits on a phone (%s)', async (colorScheme) => {
    const { page, messages, type } = await visit({ viewport: { width: 390, height: 780 }, colorScheme });
    const width = () => page.evaluate<number>('document.documentElement.scrollWidth');
    await type('/stats ');
    await page.getByRole('button', { name: 'Send' }).click();
    await shown(messages, '4,218');
    expect(await width()).toBe(390);
    await page.getByRole('button', { name: 'Listing service' }).click();
    await vote(page).click();
    await shown(page.locator('.balance'), '10 credits');
    expect(await width()).toBe(390);
    await page.getByRole('button', { name: 'Discord' }).click();
    await shown(messages, '@mira voted');
    await page.getByRole('button', { name: 'premium' }).click();
    await shown(messages, 'Welcome to #premium');
  });
});
