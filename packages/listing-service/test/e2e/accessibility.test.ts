/// <reference lib="dom" />

import { sharedBrowser } from '@tallyhook/platform/testing/browser/shared-browser';
import { violationsOf } from '@tallyhook/platform/testing/browser/violations';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { botId, mira, ownerId, receiver, running, serverId } from '../../testing/running.ts';

/** What axe finds depends on the colours or on the width, hardly ever on both. */
const screens = [
  { width: 1400, colorScheme: 'light' },
  { width: 360, colorScheme: 'dark' },
] as const;

/** Opened by their owner, who is also the operator. */
const paths = [
  ...[
    '/',
    '/?q=nothing+like+this',
    '/sign-in',
    '/your-data',
    '/imprint',
    '/privacy',
    '/terms',
    '/no-page',
    '/moderation',
  ],
  ...[`/servers/${serverId}`, `/bots/${botId}`, `/servers/${serverId}?notice=cooldown&at=vote`],
  ...['/dashboard', '/dashboard/new/server', '/dashboard/new/bot'],
  ...['', '?notice=saved&at=basics', '/statistics', '/deliveries', '/reviews', '/owners', '/delete'].map(
    (end) => `/dashboard/${serverId}${end}`,
  ),
];
/** Those that show colours and texts of an operator in different places; the others are made of the same parts. */
const pathsWithFace = [
  ...['/', '/sign-in', '/imprint', '/privacy', '/terms', '/no-page', '/moderation'],
  ...[`/servers/${serverId}`, '/dashboard', `/dashboard/${serverId}`, `/dashboard/${serverId}/statistics`],
];
/** Opened by a member. */
const membersPaths = [`/servers/${serverId}`, `/servers/${serverId}/report`];

async function signIn(page: Page, url: string, userId: string): Promise<void> {
  await page.goto(`${url}/sign-in`);
  await page.locator('select[name=userId]').selectOption(userId);
  await page.getByRole('button', { name: 'Continue' }).click();
}

async function expectAccessible(page: Page): Promise<void> {
  for (const { width, colorScheme } of screens) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    const place = `${page.url()} ${width} ${colorScheme}`;
    expect({ place, violations: await violationsOf(page, []) }).toEqual({ place, violations: [] });
    expect({ place, width: await page.evaluate(() => document.documentElement.scrollWidth) }).toEqual({ place, width });
  }
}

const logo = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="4"/></svg>';

/** The least favourable accent: as light as its ground. */
const face = {
  name: 'Harbour List',
  accent: '#ffee00',
  logo: { type: 'image/svg+xml', bytes: Buffer.from(logo) },
  footerLinks: [{ text: 'Status', url: 'https://status.example' }],
  imprint: '# Who we are\n\nHarbour List, Quay 1\nhello@list.example, https://list.example/about.',
  terms: 'Be kind.',
} as const;

test.each([
  ['its own face', paths, {}],
  ['the face of an operator', pathsWithFace, face],
])(
  'every page of the service passes the rules of axe with %s',
  { timeout: 240_000 },
  async (_name, opened, itsFace) => {
    const { service } = await running({ face: itsFace, operators: [ownerId] });
    const { url } = await receiver();
    await service.setWebhook(serverId, { voteUrl: url, voteSecret: 'a secret of 16 bytes' });
    await service.testWebhook(serverId, 'vote');
    const browser = await sharedBrowser();
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await signIn(page, service.url, mira.userId);
    for (const path of membersPaths) {
      await page.goto(service.url + path);
      await expectAccessible(page);
    }
    await signIn(page, service.url, ownerId);
    for (const path of opened) {
      await page.goto(service.url + path);
      await expectAccessible(page);
    }
  },
);
