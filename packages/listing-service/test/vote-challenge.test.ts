import { minute, second } from '@tallyhook/platform/durations';
import { fixedDate } from '@tallyhook/platform/testing/fixed-date';
import { html } from '@tallyhook/platform/web/html';
import { type Challenge, type Payload, solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { expect, test } from 'vitest';
import type { ServiceOptions } from '../src/service.ts';
import { leapingClock } from '../testing/leaping-clock.ts';
import { ask, botId, mira, running, serverId, tobias } from '../testing/running.ts';
import { type Visit, visit } from '../testing/visit.ts';

const serverPath = `/servers/${serverId}`;

/** Solves the challenge of a page, as the widget does. Changes what it sends before. */
async function solved(page: string, change: (payload: Payload) => void = () => {}): Promise<{ solution: string }> {
  const [, escaped = ''] = /configuration="([^"]*)"/.exec(page) ?? [];
  const text = escaped.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
  const { challenge } = JSON.parse(text) as { challenge: Challenge };
  const solution = await solveChallenge({ challenge, deriveKey });
  if (solution === null) throw new Error('The challenge has no solution.');
  const payload = { challenge, solution };
  change(payload);
  return { solution: Buffer.from(JSON.stringify(payload)).toString('base64') };
}

const noticeOf = async (answer: ReturnType<Visit['send']>) =>
  new URL((await answer).headers.get('location') ?? '', 'http://x').searchParams.get('notice');

test('a vote needs a proof of work, which counts once, for one member and listing, in any process', async () => {
  const all = await running({ challenge: 'proof-of-work', clock: leapingClock(Date.now()) });
  const other = await running({ challenge: 'proof-of-work', database: all.database, clock: all.clock });
  const member = await visit(all, mira.userId);
  const vote = `${serverPath}/vote`;
  expect(await noticeOf(member.send(vote, {}))).toBe('challenge');
  const page = (await member.open(serverPath)).text;
  const proof = await solved(page);
  const wrong = await solved(page, ({ solution }) => {
    solution.derivedKey = solution.derivedKey.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
  });
  const forged = await solved(page, ({ challenge: { parameters } }) => {
    parameters.expiresAt = (parameters.expiresAt ?? 0) + 1;
  });
  for (const fields of [wrong, forged, { solution: '' }, { solution: 'bm8=' }, { solution: 'e30=' }]) {
    expect(await noticeOf(member.send(vote, fields))).toBe('challenge');
  }
  expect(await noticeOf((await visit(all, tobias.userId)).send(vote, proof))).toBe('challenge');
  expect(await noticeOf(member.send(`/bots/${botId}/vote`, proof))).toBe('challenge');
  const sent = await Promise.all(
    [member, await visit(other, mira.userId), member].map(({ send }) => noticeOf(send(vote, proof))),
  );
  expect(sent.filter((notice) => notice === 'voted')).toHaveLength(1);
  expect(sent.filter((notice) => notice === 'challenge')).toHaveLength(2);
});

test('a proof of work expires', async () => {
  const clock = fixedDate();
  const all = await running({ challenge: 'proof-of-work', clock: leapingClock(Date.now()) });
  const member = await visit(all, mira.userId);
  const proof = await solved((await member.open(serverPath)).text);
  clock.leap(15 * minute + second);
  expect(await noticeOf(member.send(`${serverPath}/vote`, proof))).toBe('challenge');
});

test('only pages of listings may run the script, and only from a file', async () => {
  const all = await running({ challenge: 'proof-of-work' });
  const { service } = all;
  const policyOf = async (path: string) => (await ask(service.url + path)).headers.get('content-security-policy');
  expect(await policyOf(serverPath)).toContain("script-src 'self';worker-src 'self'");
  for (const path of ['/', '/sign-in', '/dashboard']) expect(await policyOf(path), path).not.toContain('script-src');
  const page = (await (await visit(all, mira.userId)).open(`${serverPath}?lang=es-ES`)).text;
  const files = [...page.matchAll(/(?:src|href)="(\/assets\/altcha\/[^"]+)"/g)].map(([, path]) => path);
  expect(files.map((path = '') => path.split('/').at(-1))).toEqual(['widget.css', 'widget.js', 'es.js', 'start.js']);
  for (const path of [...files, '/assets/altcha/worker.js'])
    expect([path, (await ask(service.url + path)).status]).toEqual([path, 200]);
});

test('an own challenge decides with its fields, and a vote waits while it fails', async () => {
  const challenge: NonNullable<ServiceOptions['challenge']> = {
    name: 'riddle',
    contentSecurityPolicy: { 'script-src': ['https://captcha.example'], 'style-src': ['https://captcha.example'] },
    render({ listing, member }) {
      if (listing.kind === 'bot') throw new Error('no riddle');
      return html`<label>${member.username} for ${listing.name} <input name="riddle"></label>`;
    },
    async verify({ riddle }, { address }) {
      if (riddle === undefined) throw new Error(`no answer from ${address}`);
      return riddle === 'eggs';
    },
  };
  const all = await running({ challenge });
  const { open, send } = await visit(all, mira.userId);
  const page = await open(serverPath);
  expect(page.text).toContain('<label>mira for Lantern Harbour <input name="riddle"></label>');
  expect(page.headers.get('content-security-policy')).toContain("style-src 'self' https://captcha.example;");
  expect((await send(`${serverPath}/vote`, {})).status).toBe(503);
  expect(await noticeOf(send(`${serverPath}/vote`, { riddle: 'no' }))).toBe('challenge');
  expect(await noticeOf(send(`${serverPath}/vote`, { riddle: 'eggs' }))).toBe('voted');
  const without = await open(`/bots/${botId}`);
  expect([without.status, without.text.includes('The check before the vote is not available')]).toEqual([200, true]);
});
