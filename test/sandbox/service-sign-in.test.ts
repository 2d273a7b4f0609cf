import { browser } from 'listing-service/testing/discord-browser';
import { expect, it } from 'vitest';
import { wholeSandbox } from '../support/whole-sandbox.ts';

it('members sign in to the service of the sandbox with its Discord', { timeout: 20_000 }, async () => {
  const sandbox = await wholeSandbox();
  const { page, service } = sandbox.urls;
  const visitor = browser();
  const signInPage = await visitor.open(`${service}/sign-in`);
  expect(signInPage.text).toContain('>Sign in with Discord</a>');
  expect(signInPage.text).toContain('Act as a member');
  const { location } = await visitor.open(`${service}/sign-in/discord?next=/dashboard`);
  expect(location.startsWith(`${page}/api/oauth2/authorize?`)).toBe(true);
  const member = sandbox.discord.members[1];
  const body = new URLSearchParams({ user: member?.id ?? '', decision: 'authorize' });
  const back = (await visitor.open(location, { method: 'POST', body })).location;
  expect((await visitor.open(back)).location).toBe('/dashboard?notice=signed-in');
  expect((await visitor.open(`${service}/dashboard`)).text).toMatch(
    new RegExp(`class="who"[^>]*>(<bdi>)?${member?.username}<`),
  );
});
