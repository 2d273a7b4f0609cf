import { hour, minute } from '@tallyhook/platform/durations';
import { sharedByTests } from '@tallyhook/platform/testing/on-finished';
import { partsOf } from '@tallyhook/platform/texts/message-parts';
import { messagesIn } from '@tallyhook/platform/texts/translations';
import { describe, expect, it } from 'vitest';
import { setupSections } from '../../commands/setup/sections.ts';
import { directMessagesClosed } from '../../src/core/outbox/effect-kind.ts';
import { catalogue, createAppTexts } from '../../src/texts/texts.ts';
import { accountOf } from '../support/communities.ts';
import { startDashboard } from '../support/dashboard-world.ts';
import { start, startOwnerServer, token, vote } from '../support/owner-server.ts';
import { deposit, keys, orderOf, shout, vip } from '../support/shop-store.ts';

/**
 * All Japanese texts, and English ones that are not translated yet, with a sign in place of each letter. Dates and
 * durations have no Latin letters.
 */
const withoutLetters = {
  ja: Object.fromEntries(
    [...messagesIn(catalogue, 'en'), ...messagesIn(catalogue, 'ja')].map(([key, message]) => {
      const parts = partsOf(message).map((part, index) =>
        index % 2 === 1 ? `{${part}}` : part.replace(/\p{L}/gu, '※'),
      );
      return [key, parts.join('')];
    }),
  ),
};

/** What is the same in every language. */
const names = ['tallyhook', 'discord', 'utc', 'owner_token', 'setup', 'id', 'keep_bodies', 'keep_effects', 'top', 'gg'];

/** Code, bodies, quotes and what is from outside; roles, channels and places to choose; names of placeholders. */
const foreign = [
  /<(bdi|code|pre|q|script)\b[^>]*>.*?<\/\1>/gs,
  /<(div|section|span) [^>]*lang="en.*?<\/\1>/gs,
  /<option value="(?:\d+|[^"]*\/[^"]*)"[^>]*>[^<]*/g,
  /\{\w+\}/g,
];

/** Words of a page in Latin letters that are not foreign. */
function wordsOf(page: string): string[] {
  const own = foreign.reduce((text, each) => text.replace(each, ''), page);
  const labels = [...own.matchAll(/ (?:aria-label|placeholder|alt)="([^"]*)"/g)].map(([, text]) => text);
  const text = [own.replace(/<[^>]*>/g, ' '), ...labels].join(' ').replace(/&#\d+;/g, ' ');
  return (text.match(/[\p{Script=Latin}_]{2,}/gu) ?? []).filter((word) => !names.includes(word.toLowerCase()));
}

const japanese = { 'accept-language': 'ja' };

describe('the pages of a manager', { timeout: 60_000 }, () => {
  const world = sharedByTests(() => startDashboard(withoutLetters));
  const people = ['lh', 'mira', 'tomas', 'aiko', 'ada', 'grace', 'lantern', 'harbour', 'bees', 'vip'];
  const entered = [
    'localhost',
    'webhook',
    'test',
    'ad',
    'blocker',
    'helped',
    'with',
    'the',
    'party',
    'hello',
    'nobody',
  ];
  const remnantsOf = (text: string) =>
    wordsOf(text).filter((word) => ![...people, ...entered].includes(word.toLowerCase()));

  it.each([
    ...['', 'users', 'users?id=nobody', 'users/:tomas', 'deliveries', 'effects'],
    ...[1, 2, 3, 4, 5, 6].map((id) => `deliveries/${id}`),
    ...['buried', 'waiting', 'done'].map((state) => `effects?state=${state}`),
    ...['listings', 'orders', 'changes', 'settings?a=history', 'settings?a=new-token'],
    ...[...setupSections.map(({ id }) => id), 'listing', 'tokens'].map((page) => `settings/${page}`),
    ...setupSections.flatMap(({ forms }) => forms.map(({ name }) => `settings?a=edit&o.f=${name}&o.l=harbour`)),
    ...['signed-out', 'corrected', 'repeated', 'release', 'reject', 'reversed', 'revived'].map(
      (notice) => `?notice=${notice}`,
    ),
    ...['recorded', 'test', 'duplicate', 'ignored', 'quarantined'].map((outcome) => `?notice=replayed-${outcome}`),
    ...['nothing', 'deliveries/99', 'deliveries?since=soon', 'settings?a=nothing', 'users/%E0%A4%A'],
  ])('have all words of "%s" from the catalogue', async (path) => {
    const { manager, own, tomas } = world();
    const { text } = await manager.open(own + path.replace(':tomas', tomas.id), { headers: japanese });
    expect(text).toContain('lang="ja"');
    expect(remnantsOf(text)).toEqual([]);
  });

  it('have it in what forms answer, and in errors', async () => {
    const { manager, own, tomas, guilds, token: formToken, openBrowser } = world();
    const corrections = `${own}users/${tomas.id}/corrections`;
    const reversals = `${own}listings/harbour/reversals`;
    const range = { from: '2026-01-01T00:00', until: '2026-01-02T00:00' };
    const invalid = (form: string, fields: Record<string, string>) => ({
      ...{ token: formToken, a: 'submit', i: `invalid-${form}`, 'o.f': form, 'o.l': 'harbour' },
      ...fields,
    });
    const answers = [
      await manager.send(corrections, { token: formToken, credits: 'many', reason: '' }, japanese),
      await manager.send(corrections, { token: formToken, credits: '-900', reason: 'party' }, japanese),
      await manager.send(corrections, { token: formToken, credits: '5', reason: 'party' }, japanese),
      await manager.send(corrections, { credits: '5' }, japanese),
      await manager.send(reversals, { token: formToken, ...range }, japanese),
      await manager.send(reversals, { token: formToken, from: range.until, until: range.from }, japanese),
      await manager.send(reversals, { token: formToken, from: 'then', until: 'now' }, japanese),
      await manager.send(`${own}listings/harbour/release`, { token: formToken }, japanese),
      await manager.send(`${own}effects/99/replay`, { token: formToken }, japanese),
      await manager.send(`${own}settings`, invalid('credits', { 't.vote': 'many' }), japanese),
      await manager.send(`${own}settings`, invalid('streak', { 't.streakDays': '0', 't.forgive': '9' }), japanese),
      await manager.send(`${own}settings`, invalid('text', { 't.title': '{other}' }), japanese),
      await manager.open(`servers/${guilds.bees}/`, { headers: japanese }),
      await manager.open('servers/', { headers: japanese }),
      await openBrowser().open('sign-in', { headers: japanese }),
      await openBrowser().send('sign-in', { ownerToken: 'guess' }, japanese),
      await openBrowser().open('discord-callback?code=x', { headers: japanese }),
      await openBrowser().open('sign-in-link?code=x', { headers: japanese }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([
      ...[400, 409, 200, 403, 200, 400, 400, 409, 404, 200, 200, 200, 403, 200, 200, 401, 400, 404],
    ]);
    expect(answers.map(({ text }) => remnantsOf(text))).toEqual(answers.map(() => []));
  });
});

it('the pages of the operator have their words from the catalogue, but for what is of the program', async () => {
  const held = { listing: 'bot', state: 'held', heldAt: start, held: 1_234, paid: 51, usual: 4.6 } as const;
  const { url, store, post, buryAll } = await startOwnerServer({
    languages: createAppTexts(withoutLetters),
    botSite: 'topgg',
    alarms: { held: async () => [held, { ...held, listing: 'server', state: 'releasing' }], decide: async () => true },
  });
  await deposit(store, '42', 1_000);
  for (const [index, item] of [shout, vip, keys].entries())
    await store.shop.purchase(orderOf(item, { userId: '42' }), start + index * minute);
  await store.reminders.switchOn(accountOf('42'), [{ name: 'server', cooldownMs: hour, nextVoteAt: start }], start);
  await post('/webhooks/vote', vote);
  await buryAll(directMessagesClosed);
  const signedIn = await fetch(`${url}/owner/sign-in`, {
    method: 'POST',
    body: new URLSearchParams({ ownerToken: token }),
    redirect: 'manual',
  });
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  const known = 'server bot announcement shout vip game key europe berlin vote out deposit'.split(' ');
  for (const path of ['', 'effects', 'deliveries/1', 'listings', 'orders', 'servers/', 'users/42']) {
    const page = await fetch(`${url}/owner/${path}`, { headers: { cookie, ...japanese } });
    expect(page.status, path).toBe(200);
    expect(
      wordsOf(await page.text()).filter((word) => !known.includes(word.toLowerCase())),
      path,
    ).toEqual([]);
  }
});
