import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { minute } from '@tallyhook/platform/durations';
import { html } from '@tallyhook/platform/web/html';
import { expect, test } from 'vitest';
import type { ServiceOptions } from '../src/service.ts';
import { ask, botId, mira, running, serverId, tobias } from '../testing/running.ts';
import { type Visit, visit } from '../testing/visit.ts';

const serverPath = `/servers/${serverId}`;
const script = readFileSync(new URL('../src/abuse/proof-of-work.browser.js', import.meta.url), 'utf8');

/** Solves the challenge of a page with the script that it serves, as a worker. */
function solved(page: string): { challenge: string; solutions: string } {
  const attribute = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(page)?.[1] ?? '';
  const solutions: string[] = [];
  const worker = { postMessage: (solution: string) => void solutions.push(solution) };
  const context: Record<string, unknown> = { ...worker };
  context['globalThis'] = context;
  runInContext(script, createContext(context));
  const solve = context['onmessage'] as (event: unknown) => void;
  const [puzzles, bits] = [Number(attribute('data-puzzles')), Number(attribute('data-bits'))];
  solve({ data: { id: attribute('data-challenge'), puzzles, bits } });
  return { challenge: attribute('name="challenge" value'), solutions: solutions.join(',') };
}

const noticeOf = async (answer: ReturnType<Visit['send']>) =>
  new URL((await answer).headers.get('location') ?? '', 'http://x').searchParams.get('notice');

test('a vote needs a proof of work, which counts once, for one member and listing, in any process', async () => {
  const all = await running({ challenge: 'proof-of-work' });
  const other = await running({ challenge: 'proof-of-work', database: all.database, clock: all.clock });
  const member = await visit(all, mira.userId);
  const vote = `${serverPath}/vote`;
  expect(await noticeOf(member.send(vote, {}))).toBe('challenge');
  const proof = solved((await member.open(serverPath)).text);
  const [first = '', ...rest] = proof.solutions.split(',');
  const wrong = { ...proof, solutions: [first.replace(/.$/, first.endsWith('0') ? '1' : '0'), ...rest].join(',') };
  const forged = { ...proof, challenge: proof.challenge.replace(/\.(\d)/, (_, digit) => `.${Number(digit) + 1}`) };
  for (const fields of [wrong, forged, { ...proof, solutions: '' }, { ...proof, solutions: `${first},${first}` }]) {
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
  const all = await running({ challenge: 'proof-of-work' });
  const member = await visit(all, mira.userId);
  const proof = solved((await member.open(serverPath)).text);
  all.clock.leap(15 * minute);
  expect(await noticeOf(member.send(`${serverPath}/vote`, proof))).toBe('challenge');
});

test('only pages of listings may run the script, and only from a file', async () => {
  const { service } = await running({ challenge: 'proof-of-work' });
  const policyOf = async (path: string) => (await ask(service.url + path)).headers.get('content-security-policy');
  expect(await policyOf(serverPath)).toContain("script-src 'self';worker-src 'self'");
  for (const path of ['/', '/sign-in', '/dashboard']) expect(await policyOf(path), path).not.toContain('script-src');
  const served = await ask(`${service.url}/assets/proof-of-work.js`);
  expect([served.status, served.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
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
