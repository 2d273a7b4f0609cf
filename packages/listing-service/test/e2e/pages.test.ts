/// <reference lib="dom" />

import { hour } from '@tallyhook/platform/durations';
import { sharedBrowser } from '@tallyhook/platform/testing/browser/shared-browser';
import { violationsOf } from '@tallyhook/platform/testing/browser/violations';
import { localDiscord } from 'local-discord/testing/local-discord';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { leapingClock } from '../../testing/leaping-clock.ts';
import { mira, receiver, running, serverId } from '../../testing/running.ts';

/** Opens a page without JavaScript. Violations of the content security policy and failed requests fail the test. */
async function openPage(
  size: { width: number; height: number } = { width: 1200, height: 900 },
  options: BrowserContextOptions = { javaScriptEnabled: false },
): Promise<Page> {
  const browser = await sharedBrowser();
  const context = await browser.newContext({ ...options, viewport: size });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => problems.push(message.text()));
  // Navigating away cancels pending requests (ERR_ABORTED).
  page.on('requestfailed', (request) => {
    const errorText = request.failure()?.errorText;
    if (errorText !== 'net::ERR_ABORTED') problems.push(`${request.url()} failed: ${errorText}`);
  });
  page.on(
    'response',
    (response) => response.status() >= 400 && problems.push(`${response.status()} ${response.url()}`),
  );
  onTestFinished(async () => {
    await context.close();
    expect(problems.filter((problem) => !problem.includes('favicon'))).toEqual([]);
  });
  return page;
}

async function actAs(page: Page, name: string | RegExp): Promise<void> {
  const label = await page.getByLabel('Member').locator('option', { hasText: name }).first().innerText();
  await page.getByLabel('Member').selectOption({ label });
  await page.getByRole('button', { name: 'Continue' }).click();
}

test('a member signs in, votes, sees the cooldown, and can vote again when it is over', async () => {
  const { service, clock } = await running();
  const page = await openPage();
  await page.goto(service.url);
  await page.getByRole('link', { name: 'Lantern Harbour', exact: true }).click();
  await page.getByRole('link', { name: 'Sign in to vote' }).click();
  await actAs(page, 'mira');
  const vote = page.getByRole('region', { name: 'Vote', exact: true });
  expect(await vote.getByRole('status').innerText()).toBe('You are signed in.');
  await vote.getByRole('button', { name: 'Vote for Lantern Harbour' }).click();
  expect(await page.getByRole('status').innerText()).toBe('Thank you, your vote was counted.');
  const back = page.getByRole('link', { name: 'Back to Discord' });
  expect(await back.getAttribute('href')).toBe(`https://discord.com/channels/${serverId}`);
  const button = page.getByRole('button', { name: 'Vote again in 12 hours' });
  expect(await button.isDisabled()).toBe(true);
  expect(await page.getByRole('region', { name: 'Latest votes' }).innerText()).toContain('mira');
  clock.leap(12 * hour);
  await page.reload();
  expect(await page.getByRole('button', { name: 'Vote for Lantern Harbour' }).isEnabled()).toBe(true);
});

test('a member solves the check before a vote by keyboard, in their language, with what the service sends alone', async () => {
  const { service } = await running({ challenge: 'proof-of-work', clock: leapingClock(Date.now()) });
  const page = await openPage({ width: 1200, height: 900 }, { locale: 'de-DE', reducedMotion: 'reduce' });
  const hosts = new Set<string>();
  page.on('request', (request) => hosts.add(new URL(request.url()).host));
  await page.goto(`${service.url}/sign-in?next=/servers/${serverId}`);
  await page.locator('select[name=userId]').selectOption(mira.userId);
  await page.locator('main form button').click();
  await page.getByLabel('Ich bin kein Roboter').waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violationsOf(page, [])).toEqual([]);
  }
  const button = page.getByRole('button', { name: /Lantern Harbour/ });
  await button.focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/notice=voted/);
  expect([...hosts]).toEqual([new URL(service.url).host]);
});

test('without JavaScript, the check before a vote says that it needs it', async () => {
  const { service } = await running({ challenge: 'proof-of-work', clock: leapingClock(Date.now()) });
  const page = await openPage();
  await page.goto(`${service.url}/sign-in?next=/servers/${serverId}`);
  await actAs(page, 'mira');
  expect(await page.locator('noscript').innerText()).toContain('This check needs JavaScript.');
  await page.getByRole('button', { name: 'Vote for Lantern Harbour' }).click();
  expect(page.url()).toContain('notice=challenge');
});

test('a member replaces their review, and visitors sort reviews', async () => {
  const { service } = await running();
  const page = await openPage();
  await page.goto(`${service.url}/sign-in?next=/servers/${serverId}`);
  await actAs(page, 'mira');
  const reviews = page.getByRole('region', { name: 'Reviews' });
  expect(await reviews.getByLabel('Comment').isVisible()).toBe(false);
  await page.getByText('Your review', { exact: true }).click();
  const top = async (locator: Locator) => (await locator.first().boundingBox())?.y ?? Number.NaN;
  expect(await top(reviews.getByLabel('Comment'))).toBeLessThan(await top(reviews.getByRole('listitem')));
  const stars = page.getByRole('group', { name: 'Stars' });
  expect(await stars.getByRole('radio', { name: '5 stars' }).isChecked()).toBe(true);
  await stars.getByRole('radio', { name: '5 stars' }).focus();
  for (let presses = 0; presses < 4; presses += 1) await page.keyboard.press('ArrowLeft');
  expect(await stars.getByRole('radio', { name: '1 star' }).isChecked()).toBe(true);
  await page.getByLabel('Comment').fill('Too calm for me.\n<b>Really.</b>');
  await page.getByRole('button', { name: 'Save review' }).click();
  const first = page.getByRole('region', { name: 'Reviews' }).getByRole('listitem').first();
  expect(await first.innerText()).toContain('<b>Really.</b>');
  await page.getByRole('link', { name: 'Best rating' }).click();
  expect(await first.innerText()).not.toContain('Too calm');
  await page.getByRole('link', { name: 'Worst rating' }).click();
  expect(await first.innerText()).toContain('Too calm');
  await page.getByRole('link', { name: 'Show more reviews' }).click();
  expect(await page.getByRole('region', { name: 'Reviews' }).getByRole('listitem').count()).toBe(31);
});

test('an owner configures and tests the vote webhook, resends a delivery and rotates the secret', async () => {
  const { service } = await running();
  const { url, received } = await receiver();
  const page = await openPage();
  await page.goto(`${service.url}/sign-in?next=/dashboard`);
  await actAs(page, /^rowan/);
  await page.getByRole('link', { name: 'Edit server' }).click();
  const section = page.getByRole('region', { name: 'Vote Webhooks' });
  await section.getByLabel('URL').fill(url);
  await section.getByRole('button', { name: 'Save' }).click();
  const secret = await page.getByRole('status').locator('code').first().innerText();
  expect(secret).toMatch(/^vote_/);

  await section.getByRole('button', { name: 'Test Webhook' }).click();
  expect(await page.getByRole('status').innerText()).toContain('The test was delivered');
  expect(received).toHaveLength(1);
  expect(await page.content()).not.toContain(secret);
  const deliveries = page.getByRole('region', { name: 'Last deliveries' });
  expect(await deliveries.innerText()).toMatch(/delivered\s+Vote\s+test/);
  await deliveries.getByText(/^200 after/).click();
  expect(await deliveries.innerText()).toContain('"test":true');

  await deliveries.getByRole('button', { name: 'Resend' }).click();
  await expect.poll(() => received.length).toBe(2);
  await page.getByRole('link', { name: 'Edit' }).click();
  await section.getByRole('button', { name: 'Rotate secret' }).click();
  expect(await page.getByRole('status').locator('code').first().innerText()).not.toBe(secret);
});

test('an owner adds a co-owner, who edits the server, and transfers it', async () => {
  const { service } = await running();
  const page = await openPage();
  await page.goto(`${service.url}/sign-in?next=/dashboard/${serverId}/owners`);
  await actAs(page, /^rowan/);
  const owners = page.getByRole('region', { name: 'Owners' });
  expect(await owners.getByRole('listitem').allInnerTexts()).toEqual([expect.stringMatching(/^rowan\s+Owner$/)]);
  await owners.getByLabel('Discord id of the member').fill(mira.userId);
  await owners.getByRole('button', { name: 'Add co-owner' }).click();
  expect(await page.getByRole('status').innerText()).toContain('The member can now edit this listing.');
  expect(await owners.getByRole('button', { name: 'Remove mira' }).isVisible()).toBe(true);

  const others = await openPage({ width: 390, height: 740 });
  await others.goto(`${service.url}/sign-in?next=/dashboard`);
  await actAs(others, 'mira');
  await others.getByRole('link', { name: 'Edit server' }).click();
  await others.getByLabel('Description').fill('A new text.');
  await others.getByRole('region', { name: 'Basics' }).getByRole('button', { name: 'Save' }).click();
  expect(await others.getByRole('status').innerText()).toContain('Saved.');
  await others.getByRole('link', { name: 'Owners' }).click();
  expect(await others.getByRole('button', { name: 'Add co-owner' }).count()).toBe(0);
  expect(await others.getByRole('button', { name: 'Leave' }).isVisible()).toBe(true);

  await page.getByRole('region', { name: 'Transfer the listing' }).getByRole('button').click();
  expect(await page.getByRole('status').innerText()).toContain('The listing has a new owner.');
  await others.reload();
  expect(await others.getByRole('listitem').first().innerText()).toMatch(/^mira\s+Owner/);
});

test('an owner creates an API key under Advanced setup, uses it and revokes it', async () => {
  const { service, get } = await running();
  const page = await openPage();
  await page.goto(`${service.url}/sign-in?next=/dashboard/${serverId}`);
  await actAs(page, /^rowan/);
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Edit server');
  const section = page.getByRole('region', { name: 'Advanced setup' });
  await section.getByLabel('Name').fill('Bot');
  await section.getByRole('button', { name: 'Create API key' }).click();
  const key = await page.getByRole('status').locator('code').first().innerText();
  expect((await get('/server', { 'X-API-Key': key })).status).toBe(200);
  await section.getByRole('link', { name: 'Revoke Bot' }).click();
  await page.getByRole('button', { name: 'Revoke key' }).click();
  expect((await get('/server', { 'X-API-Key': key })).status).toBe(401);
});

test.each([
  { width: 360, height: 740 },
  { width: 1200, height: 900 },
])('no page is wider than a screen of $width px', async (size) => {
  const { service } = await running();
  const long = 'wordwithoutanyspace'.repeat(12);
  await service.addReview({ listingId: serverId, userId: '5', username: long.slice(0, 80), rating: 4, comment: long });
  await service.castVote({ listingId: serverId, userId: '5', username: long.slice(0, 80) });
  const page = await openPage(size);
  await page.goto(`${service.url}/sign-in?next=/dashboard/${serverId}`);
  await actAs(page, /^rowan/);
  await page.waitForURL(`**/dashboard/${serverId}`);
  for (const path of ['/', `/servers/${serverId}`, '/dashboard', `/dashboard/${serverId}`]) {
    await page.goto(service.url + path);
    const widest = await page.locator('html').evaluate((root) => root.scrollWidth);
    expect(widest, path).toBeLessThanOrEqual(size.width);
  }
});

test('an owner stays at the form that was sent, and sees its result there', async () => {
  const { service } = await running();
  const { url } = await receiver();
  const page = await openPage({ width: 390, height: 740 });
  await page.goto(`${service.url}/sign-in?next=/dashboard/${serverId}`);
  await actAs(page, /^rowan/);
  const webhooks = page.getByRole('region', { name: 'Vote Webhooks' });
  const advanced = page.getByRole('region', { name: 'Advanced setup' });
  const press = async (section: typeof webhooks, button: string) => {
    await section.getByRole('button', { name: button, exact: true }).click();
    await expect.poll(() => isInSight(section.getByRole('heading').first())).toBe(true);
    expect(await isInSight(page.getByRole('status'))).toBe(true);
  };
  await webhooks.getByLabel('URL').fill(url);
  for (const button of ['Save', 'Save', 'Test Webhook', 'Rotate secret', 'Pause', 'Resume', 'Remove'])
    await press(webhooks, button);
  await advanced.getByLabel('Name').fill('Bot');
  await press(advanced, 'Create API key');
});

/** Whether the element, or its beginning, is in the visible part of the page. */
function isInSight(element: Locator): Promise<boolean> {
  return element.evaluate((found) => {
    const { top } = found.getBoundingClientRect();
    return top >= 0 && top < window.innerHeight;
  });
}

test.each(['مجتمع القراءة والكتابة والطبخ والسفر والألعاب 2026', 'קהילת הקריאה והכתיבה והבישול והמסעות 2026'])(
  'a long name is cut at its end in every script: %s',
  async (name) => {
    const { service } = await running();
    const page = await openPage({ width: 360, height: 740 });
    await page.goto(`${service.url}/sign-in?next=/dashboard/${serverId}`);
    await actAs(page, /^rowan/);
    await page.getByRole('region', { name: 'Basics' }).getByLabel('Name').fill(name);
    await page.getByRole('region', { name: 'Basics' }).getByRole('button', { name: 'Save' }).click();
    for (const path of ['/', '/dashboard']) {
      await page.goto(service.url + path);
      const heading = page.locator('.head').filter({ hasText: name }).locator('h2, h3').locator('[dir="auto"]');
      const [isClipped, isBeginningVisible, isBesideIcon] = await heading.evaluate((clipped) => {
        const text = document.createTreeWalker(clipped, NodeFilter.SHOW_TEXT).nextNode() as Text;
        const range = document.createRange();
        range.setStart(text, 0);
        range.setEnd(text, 1);
        const [first, box] = [range.getBoundingClientRect(), clipped.getBoundingClientRect()];
        const isInside = first.width > 0 && first.left >= box.left - 1 && first.right <= box.right + 1;
        const icon = clipped.closest('.head')?.querySelector('.badge')?.getBoundingClientRect();
        return [clipped.scrollWidth > clipped.clientWidth, isInside, box.left - (icon?.right ?? 0) < 20];
      });
      expect({ path, isClipped, isBeginningVisible, isBesideIcon }).toEqual({
        path,
        isClipped: true,
        isBeginningVisible: true,
        isBesideIcon: true,
      });
    }
  },
);

test.each([30, 90])('the labels of the chart of %d days fit on a phone', async (days) => {
  const { service } = await running();
  const page = await openPage({ width: 390, height: 740 });
  await page.goto(`${service.url}/sign-in?next=/dashboard/${serverId}/statistics`);
  await actAs(page, /^rowan/);
  await page.goto(`${service.url}/dashboard/${serverId}/statistics?days=${days}`);
  const boxes = await page.locator('.chart text').evaluateAll((labels) => {
    const chart = labels[0]?.closest('.card')?.getBoundingClientRect();
    return labels.map((label) => {
      const { left, right, top, bottom } = label.getBoundingClientRect();
      const isInside =
        chart !== undefined && left >= chart.left - 1 && right <= chart.right + 1 && top >= chart.top - 1;
      return { text: label.textContent, left, right, top, bottom, isInside };
    });
  });
  expect(boxes.length).toBeGreaterThan(5);
  expect(boxes.filter(({ isInside }) => !isInside)).toEqual([]);
  const overlapping = boxes.filter((box, index) =>
    boxes.some(
      (other, otherIndex) =>
        otherIndex > index &&
        box.left < other.right &&
        other.left < box.right &&
        box.top < other.bottom &&
        other.top < box.bottom,
    ),
  );
  expect(overlapping).toEqual([]);
});

test('a member signs in with Discord, which is another site, and comes back to the page', async () => {
  const application = { clientId: '1190000000000000003', clientSecret: 'a secret of the test' };
  const { clientId: id, clientSecret } = application;
  const discord = await localDiscord({
    applications: [{ id, name: 'Harbour list', clientSecret, redirectUris: null }],
  });
  const apiUrl = discord.apiUrl.replace('127.0.0.1', 'localhost');
  const { service } = await running({ actAsMembers: false, discord: { ...application, apiUrl } });
  const page = await openPage({ width: 360, height: 740 });
  await page.goto(`${service.url}/servers/${serverId}`);
  await page.getByRole('link', { name: 'Sign in to vote' }).click();
  await page.getByRole('link', { name: 'Sign in with Discord' }).click();
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Harbour list wants to access your account');
  await page.getByLabel('Sign in as').selectOption('aiko');
  await page.getByRole('button', { name: 'Authorize' }).click();
  expect(await page.getByRole('status').innerText()).toBe('You are signed in.');
  await page.getByRole('button', { name: 'Vote for Lantern Harbour' }).click();
  expect(await page.getByRole('status').innerText()).toBe('Thank you, your vote was counted.');
  expect(
    await service.castVote({ listingId: serverId, userId: discord.members[2]?.id ?? '', username: 'aiko' }),
  ).toMatchObject({
    recorded: false,
  });
});

test('the result of a form has the focus in its section, and texts are copied with a button', async () => {
  const { service } = await running();
  const page = await openPage({ width: 1200, height: 500 });
  await page.goto(`${service.url}/sign-in?next=/dashboard/${serverId}`);
  await actAs(page, 'rowan');
  expect(await page.getByRole('button', { name: 'Copy', exact: true }).count()).toBe(0);
  await page.getByRole('link', { name: 'Advanced setup' }).click();
  await page.getByRole('button', { name: 'Create API key' }).click();
  const result = page.locator('#result');
  expect(await result.innerText()).toContain('Copy it now');
  expect(await result.evaluate((node) => node === document.activeElement)).toBe(true);
  expect(
    await page.getByRole('heading', { name: 'Advanced setup' }).evaluate((node) => node.getBoundingClientRect().top),
  ).toBeGreaterThanOrEqual(0);

  const scripted = await (await sharedBrowser()).newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  onTestFinished(() => scripted.close());
  await scripted.addCookies(await page.context().cookies());
  const copying = await scripted.newPage();
  await copying.goto(`${service.url}/dashboard/${serverId}`);
  const [button] = await copying.getByRole('button', { name: 'Copy', exact: true }).all();
  await button?.click();
  await copying.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await copying.evaluate(() => navigator.clipboard.readText())).toBe(`${service.url}/servers/${serverId}`);
});
