import type { TextChannel } from 'discord.js';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { voteBot } from '../sandbox/vote-bot.ts';
import { expectText, saveScreenshot, visitLocal, visitSandbox } from './sandbox-page.ts';

const log = (page: Page) => page.getByRole('log', { name: 'Messages' });
const jump = (page: Page) => page.getByRole('button', { name: 'Jump to present' });

/** The distance from the end of the log (pixels). */
const distance = (messages: Locator) =>
  messages.evaluate((node) => Math.round(node.scrollHeight - node.scrollTop - node.clientHeight));

async function run(page: Page, command: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Slash command' }).pressSequentially(`${command} `);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
}

/** Scrolls up as a reader does, by `pixels`. */
async function scrollUp(page: Page, pixels: number): Promise<void> {
  const before = await log(page).evaluate((node) => node.scrollTop);
  await log(page).hover();
  await page.mouse.wheel(0, -pixels);
  await expect.poll(() => log(page).evaluate((node) => node.scrollTop)).toBeLessThan(before);
}

describe('the chat', { timeout: 60_000 }, () => {
  it('stays at its end while pictures and long answers arrive, and after a reload', async () => {
    const { page, messages } = await visitSandbox();
    for (const command of ['/stats', '/help', '/stats']) {
      const count = await messages.getByRole('article').count();
      await run(page, command);
      await expect.poll(() => messages.getByRole('article').count()).toBeGreaterThan(count);
    }
    await messages
      .getByRole('img', { name: /^Bar chart/ })
      .last()
      .waitFor();
    await expect.poll(() => distance(messages)).toBeLessThanOrEqual(1);
    await page.reload();
    await expectText(messages, 'Lantern Harbour');
    await expect.poll(() => distance(messages)).toBeLessThanOrEqual(1);
    // A role that is given must not draw all messages again, which would move the log.
    await page.getByRole('button', { name: 'Vote for the server Lantern Harbour' }).click();
    await expectText(messages, 'mira voted for');
    await expectText(page.locator('#members'), 'Voter');
    await expect.poll(() => distance(messages)).toBeLessThanOrEqual(1);
  });

  it('shows one’s own answer when scrolled up, and offers to jump to what others cause', async () => {
    const { discord, bot, page, messages } = await visitLocal(voteBot);
    const channel = bot.channels.cache.get(discord.channels.announcements) as TextChannel;
    for (let each = 1; each <= 8; each += 1) await channel.send(`Number ${each}\n${'line\n'.repeat(12)}`);
    await expectText(messages, 'Number 8');
    await expect.poll(() => distance(messages)).toBeLessThanOrEqual(1);
    expect(await jump(page).isVisible()).toBe(false);

    await scrollUp(page, 900);
    const before = await messages.evaluate((node) => node.scrollTop);
    await channel.send('News from others');
    await jump(page).waitFor();
    expect(await messages.evaluate((node) => node.scrollTop)).toBe(before);
    await saveScreenshot(page, 'jump');
    await jump(page).click();
    await expect.poll(() => distance(messages)).toBeLessThanOrEqual(1);
    expect(await jump(page).isVisible()).toBe(false);

    await scrollUp(page, 900);
    await run(page, '/canvote');
    await expectText(messages, 'Only you can see this');
    await expect.poll(() => distance(messages)).toBeLessThanOrEqual(1);
  });

  it('reserves the place of pictures before they are loaded', async () => {
    const { page, messages } = await visitSandbox({ viewport: { width: 1360, height: 820 } });
    // The picture never arrives.
    await page.route(/\/attachments\//, () => {});
    await run(page, '/stats');
    const image = messages.locator('.discord-embed-image');
    await image.waitFor();
    await expect
      .poll(() =>
        image.evaluate((shown: HTMLImageElement) => [shown.naturalWidth, shown.clientWidth, shown.clientHeight > 100]),
      )
      .toEqual([0, 400, true]);
  });
});
