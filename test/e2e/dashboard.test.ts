/// <reference lib="dom" />

import { violationsInBothSchemes } from '@tallyhook/platform/testing/browser/violations';
import { sharedByTests } from '@tallyhook/platform/testing/on-finished';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { setupSections } from '../../commands/setup/sections.ts';
import { startDashboard } from '../support/dashboard-world.ts';

/** The pages of a server, below its address; those of the operator are at the root as well. */
const pages = [
  ...['', 'users', 'users?id=nobody', 'users/:tomas', 'deliveries', 'deliveries/4', 'deliveries/5', 'effects'],
  ...['listings', 'orders', 'changes'],
];
const settingsPages = [
  ...[...setupSections.map(({ id }) => id), 'listing', 'tokens'].map((page) => `settings/${page}`),
  'settings?a=edit&o.s=shop&o.p=shop&o.k=codes&o.l=harbour',
  'settings?a=history',
];

describe('the dashboard in a browser', { timeout: 120_000 }, () => {
  const world = sharedByTests(startDashboard);

  it.each([
    { locale: 'de', as: 'manager' },
    { locale: 'ja', as: 'operator' },
  ] as const)(
    'is accessible for the $as, and no page is wider than a small phone ($locale)',
    async ({ locale, as }) => {
      const { openPage, addressOf, own, tomas } = world();
      const page = await openPage(as, { locale, viewport: { width: 360, height: 740 } });
      const paths = as === 'manager' ? [...pages, ...settingsPages].map((path) => own + path) : [...pages, 'servers/'];
      for (const path of paths) {
        const response = await page.goto(addressOf(path.replace(':tomas', tomas.id)));
        expect(response?.status(), path).toBe(200);
        if (path.endsWith('announcements')) await page.locator('discord-message').first().waitFor();
        expect(await violationsInBothSchemes(page, []), path).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(360);
      }
    },
  );

  describe('a form of announcements', () => {
    const textForm = () => world().addressOf(`${world().own}settings/announcements`);
    const firstMessage = (page: Page) =>
      page.getByRole('region', { name: 'Preview' }).locator('discord-message').first();

    it('shows the messages as Discord does while it is filled in, and saves nothing', async () => {
      const page = await world().openPage('manager');
      await page.goto(textForm());
      const message = firstMessage(page);
      await message.getByText('Hello').waitFor();
      expect(
        await message.locator('.discord-left-border').evaluate((bar) => getComputedStyle(bar).backgroundColor),
      ).toBe('rgb(87, 242, 135)');
      await page.getByLabel('Text', { exact: true }).fill('**{mention}** is number {votes} of {listing} <#1>');
      await expect.poll(() => message.innerText()).toMatch(/ada is number \d+ of harbour/);
      await page.getByLabel('Credits in large type').check();
      await page.getByLabel('Icon of the server').check();
      await expect.poll(async () => (await message.locator('.discord-embed-thumbnail').boundingBox())?.width).toBe(80);
      await page.getByLabel('Title').fill('{unknown}');
      await page.getByLabel('Language').selectOption('ja');
      await message.getByText('Hello').waitFor();
      await expect.poll(() => page.getByRole('region', { name: 'Preview' }).innerText()).toContain('プレミアム');
      await page.goto(textForm());
      expect(await page.getByLabel('Title').inputValue()).toBe('Hello');
      expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe('');
      // What applies while it is empty.
      expect(await page.getByLabel('Text', { exact: true }).getAttribute('placeholder')).toContain('{mention} voted');
    });

    it('inserts a placeholder where the cursor is, at a press', async () => {
      const page = await world().openPage('manager');
      await page.goto(textForm());
      const text = page.getByLabel('Text', { exact: true });
      await text.fill('Thanks, !');
      await text.evaluate((field: HTMLTextAreaElement) => field.setSelectionRange(8, 8));
      await page.locator('[data-into="field-text"]').getByRole('button', { name: '{mention}' }).click();
      expect(await text.inputValue()).toBe('Thanks, {mention}!');
      await expect.poll(() => firstMessage(page).innerText()).toContain('Thanks, ada!');
    });

    it('keeps the preview in sight while its fields are scrolled', async () => {
      const page = await world().openPage('manager', { viewport: { width: 1400, height: 700 } });
      await page.goto(textForm());
      await firstMessage(page).waitFor();
      await page.getByLabel('Language').scrollIntoViewIfNeeded();
      await page.mouse.wheel(0, 600);
      await expect.poll(async () => (await firstMessage(page).boundingBox())?.y ?? -1).toBeGreaterThan(0);
      const save = await page.getByRole('button', { name: 'Save' }).boundingBox();
      expect(save?.y).toBeLessThan(700);
    });

    it('says beside a rule what it would have paid, before it is saved', async () => {
      const page = await world().openPage('manager');
      await page.goto(world().addressOf(`${world().own}settings/rewards`));
      const preview = page.getByRole('region', { name: 'Preview' });
      expect(await preview.isVisible()).toBe(false);
      await page.getByLabel('Credits per vote').fill('1000');
      await expect.poll(() => preview.innerText()).toContain('these rules would have paid');
      await page.getByLabel('Credits per vote').fill('many');
      await preview.waitFor({ state: 'hidden' });
    });

    it('works without JavaScript, which only the preview needs', async () => {
      const page = await world().openPage('manager', { javaScriptEnabled: false });
      await page.goto(textForm());
      expect(await page.getByRole('heading', { name: 'Preview' }).isVisible()).toBe(false);
      await page.getByLabel('Title').fill('Ahoy');
      await page.getByRole('button', { name: 'Save' }).click();
      expect(await page.getByRole('status').innerText()).toContain('Ahoy');
      await page.getByRole('button', { name: 'Undo' }).click();
      expect(await page.getByRole('status').innerText()).toContain('Undone');
      await page.goto(textForm());
      await page.getByLabel('Title').fill('Hello');
      await page.getByRole('button', { name: 'Save' }).click();
    });

    it('is used with the keyboard, in the order of its fields', async () => {
      const page = await world().openPage('manager');
      await page.goto(textForm());
      await firstMessage(page).waitFor();
      await page.getByLabel('Title').focus();
      const names: string[] = [];
      for (let presses = 0; presses < 28; presses += 1) {
        const { name, isOutlined } = await page.evaluate(() => {
          const focused = document.activeElement as HTMLInputElement;
          const { outlineStyle, outlineWidth } = getComputedStyle(focused);
          const label = focused.labels?.[0]?.textContent ?? focused.textContent;
          return { name: label?.trim() ?? '', isOutlined: outlineStyle !== 'none' && outlineWidth !== '0px' };
        });
        expect(isOutlined, name).toBe(true);
        names.push(name);
        await page.keyboard.press('Tab');
      }
      expect(names.filter((name) => !name.startsWith('{'))).toEqual([
        ...['Title', 'Text', 'Address of a small image', 'Language', 'Avatar and name of the voter'],
        ...['Icon of the server', 'Streak', 'Credits in large type', 'Save'],
      ]);
      // Of the preview, what folds it takes the focus, and nothing of its messages.
      expect(await page.evaluate(() => document.activeElement?.closest('discord-messages') ?? null)).toBeNull();
    });
  });

  it('the filter, the search and the correction are used with the keyboard', async () => {
    const { openPage, addressOf, own, tomas } = world();
    const page = await openPage('manager');
    const order = async (first: string, count: number) => {
      await page.getByLabel(first).focus();
      const ids: string[] = [];
      for (let presses = 0; presses < count; presses += 1) {
        ids.push(await page.evaluate(() => document.activeElement?.id || document.activeElement?.textContent || ''));
        await page.keyboard.press('Tab');
        // A date has several parts.
        while (ids.at(-1) !== '' && (await page.evaluate(() => document.activeElement?.id)) === ids.at(-1)) {
          await page.keyboard.press('Tab');
        }
      }
      return ids;
    };
    await page.goto(addressOf(`${own}deliveries`));
    await page.getByText('Filter').first().click();
    expect(await order('Outcome', 8)).toEqual([
      ...['outcome', 'kind', 'listing', 'user', 'since', 'until', 'Filter', 'Clear'],
    ]);
    await page.goto(addressOf(`${own}users/${tomas.id}`));
    expect(await order('Credits (negative', 3)).toEqual(['credits', 'reason', 'Check, then save']);
    await page.goto(addressOf(`${own}users`));
    await page.getByLabel("Member's name").fill('tom');
    await page.keyboard.press('Enter');
    expect(await page.getByRole('list', { name: 'Found members' }).innerText()).toContain('tomas');
  });
});
