import { browser } from 'listing-service/testing/discord-browser';
import type { Message } from 'local-discord';
import { controlsOf, textsOf } from 'local-discord';
import { expect, it, vi } from 'vitest';
import { wholeSandbox } from '../support/whole-sandbox.ts';

const patience = { timeout: 20_000, interval: 50 };

it('an owner connects the bot to the listing service with seven clicks, and pastes nothing', {
  timeout: 60_000,
}, async () => {
  const sandbox = await wholeSandbox({ linked: false, seed: 'none' });
  const { discord, service } = sandbox;
  const [owner, other] = discord.members;
  if (owner === undefined || other === undefined) throw new Error('no members');
  await vi.waitFor(() => expect(discord.commands().map(({ name }) => name)).toContain('setup'), patience);
  let clicks = 0;
  const click = <Value>(value: Value): Value => {
    clicks += 1;
    return value;
  };
  const { general, announcements } = discord.channels;
  const controlOf = ({ components }: Message, name: string) => {
    const control = controlsOf(components).find((each) => JSON.stringify(each).includes(name));
    if (control === undefined) throw new Error(`no ${name} in ${JSON.stringify(components)}`);
    return control;
  };

  const message = await click(discord.runCommand({ name: 'setup', userId: owner.id, channelId: general })).settled;
  const connect = controlOf(message, '"Connect"');
  const link = 'url' in connect ? String(connect.url) : '';
  expect(link.length).toBeLessThanOrEqual(512);

  const visitor = browser();
  const { location: consentUrl } = await click(visitor.open(link));
  const { location: signInPath } = await visitor.open(consentUrl);
  const signIn = await visitor.open(sandbox.urls.service + signInPath);
  const [, start = ''] = /href="(\/sign-in\/discord[^"]+)"/.exec(signIn.text) ?? [];
  const { location: ofDiscord } = await click(visitor.open(sandbox.urls.service + start));
  const body = new URLSearchParams({ user: owner.id, decision: 'authorize' });
  const { location: back } = await click(visitor.open(ofDiscord, { method: 'POST', body }));
  const { location: next } = await visitor.open(back);
  expect(sandbox.urls.service + next.replace(/\?.*/, '')).toBe(consentUrl);
  const page = await visitor.open(consentUrl);
  const { origin } = new URL(link);
  expect(page.text).toContain(`<strong>${origin}</strong>`);
  expect(page.headers.get('content-security-policy')).toContain(`form-action 'self' ${origin};`);
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(page.text) ?? [];
  const decision = new URLSearchParams({ token, decision: 'connect' });
  const { location: callback } = await click(visitor.open(consentUrl, { method: 'POST', body: decision }));
  expect(callback.startsWith(`${origin}/connect/callback?code=code_`)).toBe(true);
  const done = await visitor.open(callback);
  expect(done.text).toContain('Your listing is connected, and its test has arrived.');
  expect(done.headers.get('referrer-policy')).toBe('no-referrer');

  // The panel in Discord has turned green.
  const current = () => discord.messages(general, owner.id).find(({ id }) => id === message.id) ?? message;
  await vi.waitFor(() => expect(textsOf(current().components).join()).toContain('The test has arrived'), patience);
  const channels = controlOf(current(), 'Choose the channel');
  const chosen = click(
    discord.select({
      messageId: message.id,
      customId: 'custom_id' in channels ? (channels.custom_id ?? '') : '',
      userId: owner.id,
      values: [announcements],
    }),
  );
  const simple = controlOf(await chosen.settled, '"Simple"');
  const ready = click(discord.clickButton(message.id, simple.custom_id ?? '', owner.id));
  expect(textsOf((await ready.settled).components).join()).toContain('From now on, votes are rewarded');
  expect(clicks).toBe(7);

  // A vote is rewarded, and the listing is looked up with the new key.
  const [server] = (await service.listings()).filter(({ kind }) => kind === 'server');
  await service.castVote({ listingId: server?.id ?? '', userId: other.id, username: other.username });
  await vi.waitFor(() => expect(JSON.stringify(discord.messages(announcements))).toContain(other.id), patience);
  const again = await visitor.open(callback);
  expect([again.status, again.text]).toEqual([400, expect.stringContaining('expired or was used')]);
  // With its listing, the guild is not offered it again, and an older link ends.
  const later = await discord.runCommand({ name: 'setup', userId: owner.id, channelId: general }).settled;
  expect(JSON.stringify(later.components)).not.toContain(`${origin}/connect/`);
  expect((await visitor.open(link)).text).toContain('This server has a listing already');
});
