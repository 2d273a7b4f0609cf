import { sharedBrowser } from '@tallyhook/platform/testing/browser/shared-browser';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import type { TextOverrides } from '../../src/texts/texts.ts';
import { ownerToken, startTwoCommunities } from './two-communities.ts';

/** Two communities with deliveries of every outcome and changes, and pages of the console for who has signed in. */
export async function startDashboard(texts?: TextOverrides) {
  const world = await startTwoCommunities({}, texts);
  const { url, post, guilds, mira, tomas, openBrowser, clock } = world;
  const vote = (id: string, username: string, changes: object = {}) => ({
    event: 'server_vote',
    voter: { userId: id, username },
    ...changes,
  });
  const at = (minutesAgo: number) => ({ timestamp: new Date(clock.now() - minutesAgo * 60_000).toISOString() });
  const repeated = vote(mira.id, 'mira', at(900));
  await post('harbour', repeated);
  await post('harbour', repeated);
  await post('harbour', vote(mira.id, 'mira', at(600)));
  await post(
    'harbour',
    vote(tomas.id, 'tomas', { ...at(30), creditsAwarded: false, creditDenialReason: 'ad blocker' }),
  );
  await post('harbour', { ...vote(mira.id, 'mira', at(20)), event: 'unknown' });
  await post('harbour', { ...vote(tomas.id, 'tomas', at(10)), test: true });
  await post('bees', vote(tomas.id, 'tomas', at(5)));
  const manager = openBrowser();
  await manager.signIn(mira.id);
  const own = `servers/${guilds.harbour}/`;
  const token = await manager.formToken(own);
  const corrected = { token, credits: '5', reason: 'Helped with the party', key: 'k1' };
  await manager.send(`${own}users/${tomas.id}/corrections`, corrected);
  const changed = {
    token,
    a: 'submit',
    i: 'change-1',
    'o.f': 'text',
    'o.l': 'harbour',
    't.title': 'Hello',
    'm.show': 'streak',
  };
  expect((await manager.send(`${own}settings`, changed)).text).toContain('Hello');
  const operator = openBrowser();
  await operator.send('sign-in', { ownerToken });

  /** A page of the manager of one server, or of the operator. Violations of the content policy and errors fail the test. */
  async function openPage(as: 'manager' | 'operator', options: BrowserContextOptions = {}): Promise<Page> {
    const browser = await sharedBrowser();
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options });
    const cookies = { manager, operator }[as].cookies;
    await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url })));
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('console', (message) => problems.push(message.text()));
    onTestFinished(async () => {
      await context.close();
      expect(problems).toEqual([]);
    });
    return page;
  }

  const addressOf = (path: string) => `${url}/owner/${path}`;
  return { ...world, openPage, addressOf, own, manager, operator, token };
}
