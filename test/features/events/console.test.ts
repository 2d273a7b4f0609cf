import { randomUUID } from 'node:crypto';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { setup } from '../../../commands/setup.ts';
import { endpointId } from '../../../src/features/events/settings.ts';
import { ownerToken, startTwoCommunities } from '../../support/two-communities.ts';
import { eventReceiver } from './receiving.ts';

type Fields = Readonly<Record<string, string>>;

/** Mira manages the harbour, Aiko the bees, the operator both. Endpoints are on this machine. */
async function startConsoles() {
  const world = await startTwoCommunities({ WEBHOOK_PRIVATE_TARGETS: 'on' });
  const { guilds, mira, aiko, openBrowser } = world;

  async function console(side: 'harbour' | 'bees', userId: string | null) {
    const browser = openBrowser();
    if (userId === null) await browser.send('sign-in', { ownerToken });
    else await browser.signIn(userId);
    const page = `servers/${guilds[side]}/settings`;
    const token = await browser.formToken(`${page}/webhooks`);
    return {
      act: (action: string, fields: Fields = {}) =>
        browser.send(page, { token, a: action, i: randomUUID(), 'o.l': side, ...fields }),
      open: (action: string, w: string) => browser.open(`${page}?a=${action}&o.l=${side}&o.w=${w}`),
      section: () => browser.open(`${page}/webhooks?o.l=${side}`),
    };
  }
  return {
    ...world,
    ofMira: await console('harbour', mira.id),
    ofAiko: await console('bees', aiko.id),
    ofOperator: await console('bees', null),
  };
}

const secretIn = (text: string) => /whsec_[A-Za-z0-9+/]{43}=/.exec(text)?.[0] ?? '';

test('a manager adds an address in the console, which hears votes, and sees its attempts', async () => {
  const { url, received } = await eventReceiver(204, 500, 204);
  const { ofMira, ofAiko, ofOperator, post, mira, aiko, first, lines } = await startConsoles();
  const w = endpointId(url);
  const form = await ofMira.open('webhook-add', '');
  expect(form.text).toContain('<option value="vote.recorded">');
  const added = await ofMira.act('webhook-added', { 't.url': url, 'm.events': 'vote.recorded' });
  expect(secretIn(added.text)).toHaveLength(50);
  const replace = { i: randomUUID(), 'o.w': w };
  const secret = secretIn((await ofMira.act('webhook-secret', replace)).text);
  // A form that is sent again makes no other secret, and shows none.
  const repeated = await ofMira.act('webhook-secret', replace);
  expect([secret.length, secretIn(repeated.text)]).toEqual([50, '']);

  await post('harbour', { event: 'server_vote', userId: mira.id, serverId: first.guildId });
  await eventually(() => expect(received).toHaveLength(1));
  const { headers = {}, body = '' } = received[0] ?? {};
  expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({ type: 'vote.recorded' });
  expect((await ofMira.act('webhook-test', { 'o.w': w })).text).toContain('The endpoint returned 500');
  const { text } = await ofMira.open('webhook-attempts', w);
  expect(text.match(/<tr>/g)).toHaveLength(3);
  expect(text).toContain(`>${new URL(url).host}</a>`);
  expect(text).toContain('<bdi>webhook.test</bdi>');
  expect(text).toContain('<span class="mark bad">500</span>');
  expect(text).toContain('<code>no &#60;b&#62;luck&#60;/b&#62;</code>');
  expect((await ofMira.section()).text).toContain('failing since');
  expect((await ofMira.act('webhook-resend', { 'o.w': w })).text).toContain('Nothing has failed for good.');

  // The other community has the same address: one does not know of the other.
  expect((await ofAiko.section()).text).not.toContain('127.0.0.1');
  expect((await ofAiko.open('webhook-attempts', w)).status).toBe(404);
  const theirs = secretIn((await ofOperator.act('webhook-added', { 't.url': url })).text);
  expect(theirs).toHaveLength(50);
  expect((await ofAiko.section()).text).toContain('✅ no failures');
  expect((await ofAiko.open('webhook-attempts', w)).text).not.toContain('<tr>');
  await post('bees', { event: 'server_vote', userId: aiko.id, serverId: '2000' });
  await eventually(() => expect(received).toHaveLength(3));
  const last = received.at(-1);
  expect(new Webhook(theirs).verify(last?.body ?? '', last?.headers as Record<string, string>)).toBeDefined();
  const shown = [text, (await ofMira.section()).text, (await ofMira.open('webhook', w)).text, ...lines].join();
  for (const each of [secret, theirs]) expect(shown).not.toContain(each);
}, 60_000);

test('forms that name an address of another server reach nothing of it', async () => {
  const { url, received } = await eventReceiver(204);
  const { ofMira, ofAiko } = await startConsoles();
  await ofAiko.act('webhook-added', { 't.url': url });
  const w = endpointId(url);
  const actions = setup.actions.filter((action) => action.startsWith('webhook'));
  expect(actions.length).toBeGreaterThan(10);
  for (const action of actions) {
    for (const listing of ['harbour', 'bees']) {
      const { text } = await ofMira.act(action, {
        'o.l': listing,
        'o.w': w,
        't.url': 'x',
        'm.events': 'vote.recorded',
      });
      expect(text, action).not.toMatch(/127\.0\.0\.1|whsec_/);
    }
  }
  const { text } = await ofAiko.open('webhook', w);
  expect(text).toContain('all events');
  expect(text).toContain('1 secret ·');
  expect(received).toHaveLength(0);
}, 60_000);

test('an address that is gone is removed, and gets what it has missed once it is entered again', async () => {
  const { url, received } = await eventReceiver(410, 204);
  const { ofMira, post, mira, first } = await startConsoles();
  const w = endpointId(url);
  await ofMira.act('webhook-added', { 't.url': url });
  await post('harbour', { event: 'server_vote', userId: mira.id, serverId: first.guildId });
  await eventually(async () => expect((await ofMira.section()).text).not.toContain(new URL(url).host));
  await post('harbour', { event: 'server_vote', userId: mira.id, serverId: first.guildId });
  await ofMira.act('webhook-added', { 't.url': url });
  expect((await ofMira.open('webhook', w)).text).toContain('✅ no failures');
  await eventually(async () => {
    expect((await ofMira.act('webhook-resend', { 'o.w': w })).text).toContain('1 event is sent again.');
  });
  await eventually(() => expect(received).toHaveLength(2));
  expect(received[1]?.headers['webhook-id']).toBe(received[0]?.headers['webhook-id']);
}, 60_000);
