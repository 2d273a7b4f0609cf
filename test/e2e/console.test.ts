/// <reference lib="dom" />

import { mkdirSync } from 'node:fs';
import { day, hour } from '@tallyhook/platform/durations';
import { sharedBrowser } from '@tallyhook/platform/testing/browser/shared-browser';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Store } from '../../src/features/store.ts';
import { accountOf } from '../support/communities.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';
import { deposit, keys, orderOf, ownerChannelId, shout, vip } from '../support/shop-store.ts';
import { startInstallation } from '../support/start-installation.ts';
import { castVote, guildId, installation, openLedger } from '../support/voting.ts';

const pictures = 'artifacts';
const token = 'owner-token-for-tests';
const member = '716390085896962058';

beforeAll(() => mkdirSync(pictures, { recursive: true }));

/** Opens a page without JavaScript. Violations of the content security policy and failed requests fail the test. */
async function openPage(options: BrowserContextOptions = {}): Promise<Page> {
  const browser = await sharedBrowser();
  const context = await browser.newContext({
    javaScriptEnabled: false,
    viewport: { width: 1200, height: 900 },
    ...options,
  });
  const page = await context.newPage();
  const problems: string[] = [];
  // Rejected forms log a status of 4xx, which is expected.
  page.on('console', (message) => /status of 4\d\d/.test(message.text()) || problems.push(message.text()));
  // Navigating away cancels pending requests (ERR_ABORTED).
  page.on('requestfailed', (request) => {
    const errorText = request.failure()?.errorText ?? 'no reason';
    if (errorText !== 'net::ERR_ABORTED') problems.push(`${request.url()} failed: ${errorText}`);
  });
  page.on(
    'response',
    (response) => response.status() >= 500 && problems.push(`${response.status()} ${response.url()}`),
  );
  onTestFinished(async () => {
    await context.close();
    expect(problems).toEqual([]);
  });
  return page;
}

async function signIn(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/owner`);
  await page.getByLabel('Owner token').fill(token);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
}

/** Starts an installation with votes, duplicates, buried announcements and a quarantined delivery. */
async function startWithDeliveries() {
  const { url, post, app } = await startInstallation({ ANNOUNCE_CHANNEL_ID: '1' });
  const now = Date.now();
  const vote = (userId: string, minutesAgo: number) => ({
    event: 'server_vote',
    voter: { userId, username: '<script>alert(1)</script> \u202Eevil' },
    timestamp: new Date(now - minutesAgo * 60_000).toISOString(),
  });
  await post('/webhooks/vote', vote(member, 90));
  await post('/webhooks/vote', vote(member, 90));
  await post('/webhooks/vote', vote(member, 30));
  await post('/webhooks/vote', {
    ...vote('42', 20),
    creditsAwarded: false,
    creditDenialReason: 'Ad <b>blocker</b> detected',
  });
  await post('/webhooks/vote', { ...vote(member, 5), event: '"><img src=x onerror=alert(1)>' });
  await expect
    .poll(
      async () =>
        (await (await fetch(`${url}/owner/api/summary`, { headers: { authorization: `Bearer ${token}` } })).json())
          .effects.buried,
    )
    .toBe(3);
  return { url, app };
}

test('the owner signs in, finds a member, corrects, replays and signs out', async () => {
  const { url, app } = await startWithDeliveries();
  const page = await openPage();
  await page.goto(`${url}/owner/effects?state=buried`);
  await page.screenshot({ path: `${pictures}/console-sign-in.png` });
  await page.getByLabel('Owner token').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  expect(await page.getByRole('alert').innerText()).toContain('Wrong owner token');
  await page.getByLabel('Owner token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  expect(page.url()).toBe(`${url}/owner/effects?state=buried`);
  await page.screenshot({ path: `${pictures}/console-effects.png`, fullPage: true });

  await page.getByRole('button', { name: 'Try again announcement 1' }).click();
  expect(await page.getByRole('status').innerText()).toContain('waiting again');

  await page.getByRole('link', { name: 'Overview' }).click();
  expect(await page.getByRole('region', { name: 'Needs your attention' }).innerText()).toContain('1 vote is genuine');
  await page.screenshot({ path: `${pictures}/console-overview.png`, fullPage: true });
  await page.getByLabel("Member's name or Discord ID").fill(member);
  await page.getByRole('button', { name: 'Look up' }).click();
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(
    'Member <script>alert(1)</script> \\u202eevil',
  );
  const unpaid = page.getByRole('region', { name: 'Votes that paid nothing' });
  expect(await unpaid.getByRole('listitem').allInnerTexts()).toEqual([
    expect.stringContaining('not understood'),
    expect.stringContaining('repeat'),
  ]);

  await page.getByLabel('Credits (negative').fill('-50');
  await page.getByLabel('Reason').fill('An honest mistake');
  await page.getByRole('button', { name: 'Check, then save' }).click();
  expect(await page.getByRole('alert').innerText()).toContain('a balance cannot be less than zero');
  await page.getByLabel('Credits (negative').fill('-4');
  await page.getByRole('button', { name: 'Check, then save' }).click();
  expect(await page.getByRole('main').innerText()).toContain('10 credits → 6 credits');
  await page.screenshot({ path: `${pictures}/console-confirm.png` });
  await page.getByRole('button', { name: 'Confirm' }).click();
  expect(await page.getByRole('status').innerText()).toContain('corrected');
  expect(await app.ledger.account(member)).toMatchObject({ credits: 6, votes: 1 });
  expect(await page.getByRole('region', { name: 'Entries' }).getByRole('row').nth(1).innerText()).toContain(
    'An honest mistake',
  );
  await page.screenshot({ path: `${pictures}/console-member.png`, fullPage: true });
  await page.getByRole('link', { name: 'Votes', exact: true }).click();
  await page.getByText('Filter').first().click();
  await page.getByLabel('Outcome').selectOption('quarantined');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.screenshot({ path: `${pictures}/console-deliveries-filtered.png`, fullPage: true });
  await page.getByRole('link', { name: '#5' }).click();
  await page.getByRole('button', { name: 'Try again' }).click();
  expect(await page.getByRole('status').innerText()).toContain('still cannot be understood');

  await page.getByRole('button', { name: 'Sign out' }).click();
  expect(await page.getByRole('status').innerText()).toContain('signed out');
  await page.goto(`${url}/owner/`);
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Sign in');
});

test('untrusted text is shown and never executed', async () => {
  const { url } = await startWithDeliveries();
  const page = await openPage({ javaScriptEnabled: true });
  page.on('dialog', () => expect.unreachable('a script ran'));
  await signIn(page, url);
  for (const path of ['deliveries', 'deliveries/1', 'deliveries/4', 'deliveries/5', `users/${member}`, 'users/42']) {
    await page.goto(`${url}/owner/${path}`);
    expect(await page.locator('main script, main img, main b').count(), path).toBe(0);
    expect(await page.content(), path).not.toContain('\u202E');
  }
  await page.goto(`${url}/owner/deliveries/1`);
  expect(await page.locator('pre').first().innerText()).toContain('"<script>alert(1)</script> \\u202eevil"');
  await page.screenshot({ path: `${pictures}/console-delivery.png`, fullPage: true });
});

/** Adds purchases in every state, one with the longest name, and reminders. */
async function addOrdersAndReminders(store: Store, now: number) {
  const longest = { ...shout, id: 'longest', name: `<b>${'Supercalifragilistic'.repeat(4)}`.slice(0, 80) };
  await deposit(store, member, 10_000);
  for (const [index, item] of [shout, keys, vip, shout, longest].entries()) {
    const bought = await store.shop.purchase(orderOf(item, { userId: member }), now - (9 - index) * hour);
    if (bought.outcome !== 'purchased' || index > 0) continue;
    const settlement = { purchaseId: bought.purchase.id, state: 'refunded', channelId: ownerChannelId } as const;
    await store.shop.settle(settlement, now);
  }
  for (const userId of ['100', '101', '102']) {
    const listing = { name: 'harbour', cooldownMs: 12 * hour, nextVoteAt: userId === '100' ? null : now + hour / 2 };
    await store.reminders.switchOn(accountOf(userId), [listing], now);
  }
  await store.reminders.stop('102', 'direct_messages_closed', now);
}

/** Starts an installation with every rule, votes of the last 40 days, and a role that Discord rejected. */
async function startWithRewards() {
  const role = '700000000000000001';
  const databaseUrl = newSqliteUrl();
  const rewards = {
    vote: 10,
    multipliers: [{ factor: 2, days: ['saturday', 'sunday'] }],
    streak: { every: 7, credits: 50, forgive: 1 },
    milestones: [
      { votes: 10, credits: 100, role },
      { everyVotes: 100, credits: 500 },
    ],
    voterRole: { role, for: '12h' },
    premiumRoles: { '<b>Gold</b>': role },
    allListings: 20,
    party: { goal: 100, per: 'week', credits: 25 },
  };
  const community = installation(databaseUrl, rewards);
  const now = Date.now();
  const store = await openLedger(databaseUrl, now);
  for (let age = 40; age >= 0; age -= 1) {
    const voters = Array.from({ length: 1 + ((age * 7) % 11) }, (_, index) => String(100 + index));
    await Promise.all(voters.map((userId) => castVote(store, community, userId, now - age * day - hour / 2)));
  }
  await store.roles.settleRole({ guildId, userId: '100', role }, 'failed', now);
  await addOrdersAndReminders(store, now);
  const unset = { LOOKUP_SERVER_KEY: '', LOOKUP_BOT_KEY: '', VOTE_WEBHOOK_SECRET: '', PREMIUM_WEBHOOK_SECRET: '' };
  return startInstallation({ ...community.environment, ...unset, DISCORD_TOKEN: 'none' });
}

test('the owner sees the rewards, on a wide light screen and a narrow dark one', async () => {
  const { url } = await startWithRewards();
  for (const [colorScheme, width] of [
    ['light', 1200],
    ['dark', 380],
  ] as const) {
    const page = await openPage({ colorScheme, viewport: { width, height: 900 } });
    await signIn(page, url);
    expect(await page.getByRole('img', { name: /votes? from/ }).getAttribute('aria-label')).toMatch(/^\d+ votes? from/);
    const chart = page.getByRole('region', { name: 'Votes of the last 30 days' });
    expect(await chart.locator('g title').count()).toBe(30);
    expect(await page.getByRole('region', { name: 'Top voters of this month' }).getByRole('listitem').count()).toBe(10);
    expect(await page.getByRole('progressbar', { name: 'Vote party' }).isVisible()).toBe(true);
    expect(await page.getByRole('region', { name: 'Roles' }).innerText()).toContain('rejected by Discord');
    expect(await page.getByRole('region', { name: 'Reminders' }).innerText()).toMatch(
      /scheduled reminder\s+2\s+due within an hour\s+1\s/,
    );
    // Nothing is wider than the screen.
    expect(await page.locator('main').evaluate((main) => main.scrollWidth - main.clientWidth)).toBeLessThanOrEqual(0);
    await page.screenshot({ path: `${pictures}/console-overview-${colorScheme}-${width}.png`, fullPage: true });
    await page.getByRole('link', { name: 'Orders', exact: true }).click();
    const orders = page.getByRole('region', { name: 'Orders' });
    expect(await orders.innerText()).toMatch(/Orders waiting for you\s+2/);
    expect(await orders.innerText()).not.toContain(keys.codes?.[0]);
    expect(await orders.locator('tbody tr').count()).toBe(5);
    expect(await page.locator('main').evaluate((main) => main.scrollWidth - main.clientWidth)).toBeLessThanOrEqual(0);
  }
});
