/// <reference lib="dom" />

import { hour } from '@tallyhook/platform/durations';
import { sharedBrowser } from '@tallyhook/platform/testing/browser/shared-browser';
import { violationsOf } from '@tallyhook/platform/testing/browser/violations';
import { sharedByTests } from '@tallyhook/platform/testing/on-finished';
import { serve } from '@tallyhook/platform/testing/serve';
import type { BrowserContextOptions } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startPages } from '../features/public-pages/world.ts';

const strangers = ['200000000000000001', '200000000000000002', '200000000000000003', '200000000000000004'];
/** Of members with the most votes first. */
const names = [
  'mira',
  '<img src=x> "quoted"',
  'नमस्ते',
  'a-name-that-is-as-long-as-a-name-of-Discord-can-be',
  'مرحبا',
  'last',
];

describe('public pages in a browser', { timeout: 120_000 }, () => {
  const world = sharedByTests(async () => {
    const rewards = {
      prizes: [{ per: 'month', by: 'votes', minVotes: 2, places: [{ from: 1, credits: 1_000 }] }],
      party: { goal: 100, per: 'month', credits: 25 },
    };
    const started = await startPages({ harbour: { rewards } });
    const { vote, mira, tomas, clock } = started;
    for (const [index, userId] of [mira.id, ...strangers, tomas.id].entries()) {
      for (let at = 0; at < 6 - index; at += 1) {
        const timestamp = new Date(clock.now() - at * 13 * hour).toISOString();
        await vote('harbour', userId, names[index] ?? '', { timestamp });
      }
    }
    return started;
  });

  /** Violations of content policies, errors, and what is not found fail the test. */
  async function openPage(options: BrowserContextOptions, cookies: ReadonlyMap<string, string> = new Map()) {
    const browser = await sharedBrowser();
    const context = await browser.newContext(options);
    await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url: world().url })));
    const page = await context.newPage();
    const problems: string[] = [];
    const requested: string[] = [];
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('console', (message) => problems.push(message.text()));
    page.on('request', (request) => requested.push(request.url()));
    onTestFinished(async () => {
      await context.close();
      expect(problems).toEqual([]);
    });
    return { page, requested };
  }

  it.each([
    { locale: 'en-US', colorScheme: 'light', width: 360 },
    { locale: 'de', colorScheme: 'dark', width: 1_400 },
    { locale: 'ja', colorScheme: 'dark', width: 360 },
    { locale: 'hi', colorScheme: 'light', width: 360 },
  ] as const)(
    'are accessible and no wider than the screen in $locale, $colorScheme, at $width px',
    async ({ locale, colorScheme, width }) => {
      const { url, signIn, mira } = world();
      const member = await signIn('lantern-harbour', mira.id);
      const viewport = { width, height: 740 };
      const { page, requested } = await openPage({ locale, colorScheme, viewport }, member.browser.cookies);
      for (const path of ['lantern-harbour', 'bees', 'lantern-harbour/me', 'lantern-harbour/me/forget']) {
        const response = await page.goto(`${url}/c/${path}`);
        expect(response?.status(), path).toBe(200);
        expect(await violationsOf(page, []), path).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(width);
      }
      expect(requested.filter((each) => !each.startsWith(`${url}/c/`))).toEqual([]);
    },
  );

  it('are left to the page of a member and back with the keyboard', async () => {
    const { url } = world();
    const { page } = await openPage({ viewport: { width: 1_400, height: 900 } });
    await page.goto(`${url}/c/lantern-harbour`);
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content');
    for (let count = 0; count < 2; count += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Sign in with Discord' }).waitFor();
    await page.getByRole('link', { name: 'Lantern Harbour' }).press('Enter');
    await page.getByRole('heading', { name: 'Vote for Lantern Harbour' }).waitFor();
  });

  describe('the widget on a page of another site', () => {
    /** A page whose policy allows scripts of the bot, and its own styles alone. */
    async function embed(html: string) {
      const { url } = world();
      const policy = `default-src 'none'; style-src 'self'; script-src ${url}; require-trusted-types-for 'script'`;
      const site = await serve((_request, response) => {
        response.setHeader('content-type', 'text/html; charset=utf-8');
        response.setHeader('content-security-policy', policy);
        response.end(
          `<!doctype html><html lang="en"><title>Our site</title><body><main><h1>Our site</h1>${html}</main>`,
        );
      });
      const opened = await openPage({ locale: 'en-US' });
      // Without an icon of its own, a browser would ask for one.
      await opened.page.route('**/favicon.ico', (route) => route.fulfill({ status: 204 }));
      await opened.page.goto(site);
      return { ...opened, site };
    }

    it('shows the first five and where to vote, requests nothing else, and does not touch the page', async () => {
      const { url } = world();
      const { page, requested } = await embed(`<script async src="${url}/c/lantern-harbour/widget.js"></script>`);
      const widget = page.getByRole('region', { name: 'Most votes this month' });
      await widget.waitFor();
      expect(await widget.locator('bdi').allInnerTexts()).toEqual(
        ['Lantern Harbour', ...names.slice(0, 5)].map(shortened),
      );
      expect(await widget.getByRole('link', { name: 'Vote on top.gg' }).getAttribute('href')).toContain(
        'https://top.gg/',
      );
      expect(await widget.getByRole('link', { name: 'All places' }).getAttribute('href')).toBe(
        `${url}/c/lantern-harbour`,
      );
      // Its styles are applied, in spite of the policy.
      expect(await widget.evaluate((node) => getComputedStyle(node).borderTopLeftRadius)).toBe('12px');
      expect(await page.locator('h1').evaluate((node) => getComputedStyle(node).fontFamily)).not.toContain('system-ui');
      expect(requested.filter((each) => each.startsWith(url))).toEqual([`${url}/c/lantern-harbour/widget.js`]);
      expect(await violationsOf(page, [])).toEqual([]);
    });

    it('is dark where the page says so', async () => {
      const script = `<script async data-theme="dark" src="${world().url}/c/bees/widget.js"></script>`;
      const { page } = await embed(script);
      const widget = page.getByRole('region');
      await widget.waitFor();
      expect(await widget.evaluate((node) => getComputedStyle(node).backgroundColor)).toBe('rgb(26, 29, 40)');
    });
  });
});

function shortened(name: string): string {
  return name.length > 40 ? `${name.slice(0, 39)}…` : name;
}
