import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectText, visitSandbox as visit } from './sandbox-page.ts';

const troubleButton = (page: Page, name: RegExp) => page.getByRole('button', { name });
const delivery = (page: Page, title: string | RegExp) => page.locator('.delivery').filter({ hasText: title }).first();

const vote = (page: Page) => page.getByRole('button', { name: 'Vote for the server Lantern Harbour' });

describe('deliveries and outages in the sandbox', { timeout: 60_000 }, () => {
  it('shows the announcement, the credits and the delivery steps of a first vote', async () => {
    const { page, messages } = await visit();
    await expectText(page.locator('.balance'), '0 credits');
    await vote(page).click();
    const embed = messages.locator('discord-embed');
    await expectText(embed, /mira.? voted for Lantern Harbour\.\+10 credits/);
    await expectText(page.locator('.balance'), 'mira has 10 credits');
    await expectText(page.locator('#vote-result'), 'recorded');
    const voteDelivery = delivery(page, 'Server vote by mira');
    await expectText(
      voteDelivery.locator('.track'),
      /Received \d+ ms .*Verified [\d.]+ m?s .*Recorded .*\+10 .*Announced \d/,
    );
    // Each step is on one line.
    const tops = await voteDelivery
      .locator('.track-after')
      .evaluateAll((times) => times.map((time) => time.getBoundingClientRect().top));
    expect([tops.length, new Set(tops).size]).toEqual([5, 1]);
    const heights = await voteDelivery
      .locator('.track-word')
      .evaluateAll((words) => words.map((word) => word.getBoundingClientRect().height));
    expect(new Set(heights).size).toBe(1);
    expect(await voteDelivery.getByText('Announced in #votes').isVisible()).toBe(false);
    await voteDelivery.locator('summary').click();
    await voteDelivery.getByText('Announced in #votes').waitFor();
    await expectText(page.locator('#hint-panel'), 'Try this (2 of 8): Type /canvote');
    await vote(page).click();
    await expectText(page.locator('#vote-result'), /Already voted .* in 12 hours/);
    await page.getByLabel('Acting as').selectOption('tobias_k');
    await expectText(page.locator('.balance'), 'tobias_k has 0 credits');
  });

  it('reports when the bot is offline and does not respond', async () => {
    const { sandbox, page, messages, type } = await visit();
    await sandbox.app.stop();
    await page.getByText('Bot offline').waitFor();
    await type('/canvote ');
    await page.keyboard.press('Enter');
    await expectText(messages, 'Sending command');
    await expectText(messages, 'The application did not respond');
    await messages.getByRole('button', { name: 'Dismiss message' }).click();
    expect(await messages.getByText('The application did not respond').count()).toBe(0);
  });

  it('ends outages automatically after ten seconds, and then sends pending announcements', async () => {
    const { page, messages } = await visit();
    const recoveryTimeout = { timeout: 25_000 };
    const timelineEntry = (text: string) => page.locator('.timeline').getByText(text);
    await troubleButton(page, /Discord down/).click();
    await timelineEntry('Discord is down').waitFor();
    await vote(page).click();
    await expectText(delivery(page, 'Server vote').locator('.track'), /Waiting/);
    await troubleButton(page, /Service down/).click();
    await timelineEntry('The service is down').waitFor();
    expect(await troubleButton(page, /Service down/).getAttribute('aria-disabled')).toBe('true');
    await timelineEntry('Discord is available again').waitFor(recoveryTimeout);
    await timelineEntry('The service is available again').waitFor(recoveryTimeout);
    await delivery(page, 'Server vote').locator('.track').getByText('Announced').waitFor(recoveryTimeout);
    await expectText(messages.locator('discord-embed'), /mira.? voted for/);
    expect(await messages.locator('discord-embed').filter({ hasText: 'voted for' }).count()).toBe(1);
    expect(await troubleButton(page, /Service down/).getAttribute('aria-disabled')).toBe(null);
    await page.getByRole('button', { name: 'Vote for the bot Quartermaster' }).click();
    await expectText(messages.locator('discord-embed'), /mira.? voted for Quartermaster/);
  });
});
