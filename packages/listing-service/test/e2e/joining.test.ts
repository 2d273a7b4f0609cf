/// <reference lib="dom" />
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sharedBrowser } from '@tallyhook/platform/testing/browser/shared-browser';
import { localDiscord } from 'local-discord/testing/local-discord';
import { expect, onTestFinished, test } from 'vitest';
import { seededInviteCode } from '../../src/index.ts';
import { running, serverId } from '../../testing/running.ts';

async function openPage(size = { width: 1200, height: 900 }) {
  const context = await (await sharedBrowser()).newContext({ viewport: size });
  onTestFinished(() => context.close());
  return context.newPage();
}

test('a visitor filters and sorts the list, joins a server at Discord, and goes to the vote', async () => {
  const discord = await localDiscord({
    guild: { id: serverId, name: 'Lantern Harbour', inviteCode: seededInviteCode },
  });
  const { service } = await running({ discord: { clientId: '1', clientSecret: 'secret', apiUrl: discord.apiUrl } });
  const page = await openPage();
  await page.goto(service.url);
  await page.getByRole('link', { name: 'Gaming', exact: true }).click();
  await page.getByRole('link', { name: 'Newest' }).click();
  expect(new URL(page.url()).search).toBe('?category=Gaming&sort=new');
  expect(await page.locator('.cards h3').allInnerTexts()).toEqual(['Lantern Harbour']);
  await page.getByRole('link', { name: 'Join: Lantern Harbour' }).click();
  expect(page.url()).toBe(`${discord.origin}/invite/${seededInviteCode}`);
  expect(await page.locator('h1').innerText()).toBe('Lantern Harbour');
  await page.goBack();
  await page.getByRole('link', { name: 'Vote: Lantern Harbour' }).click();
  expect(page.url()).toBe(`${service.url}/servers/${serverId}#vote`);
  expect(await page.getByRole('heading', { name: 'Vote', exact: true }).isVisible()).toBe(true);
});

test('another site shows the badge', async () => {
  const { service } = await running();
  const site = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end(`<img src="${service.url}/badge/${serverId}.svg" alt="Vote for us">`);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void site.close());
  const page = await openPage();
  await page.goto(`http://localhost:${(site.address() as AddressInfo).port}`);
  const image = page.getByRole('img', { name: 'Vote for us' });
  expect(await image.evaluate((element: HTMLImageElement) => element.decode().then(() => element.naturalHeight))).toBe(
    28,
  );
});
