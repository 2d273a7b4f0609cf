import { eventually } from '@tallyhook/platform/testing/eventually';
import { captive } from 'listing-service/testing/terminal';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../src/cli/listen.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { startApp } from '../../support/start-app.ts';
import { eventReceiver, sendVote, voteSecret } from './receiving.ts';

const token = 'the token of the operator, long enough';
const secret = `whsec_${Buffer.from('a key of some bytes, for tests').toString('base64')}`;
const members = ['80351110224678911', '80351110224678912', '80351110224678913', '80351110224678914'];

const program = (database = newSqliteUrl(), port = '0') =>
  startApp({
    ...{ TALLYHOOK_ROLES: 'receive', VOTE_WEBHOOK_SECRET: voteSecret, OWNER_TOKEN: token },
    ...{ DATABASE_URL: database, PORT: port },
  });

/** `tallyhook listen` with what it prints. */
function listening(url: string, options: { readonly forward?: string; readonly replay?: string } = {}) {
  const stop = new AbortController();
  const [printed, notes]: [string[], string[]] = [[], []];
  const terminal = {
    ...{ print: (line: string) => void printed.push(line), printError: (line: string) => void notes.push(line) },
    ...{ stop: stop.signal, input: process.stdin, output: process.stdout, errorOutput: process.stderr },
  };
  const ended = listen({ url, token, secret, json: true, ...options }, terminal);
  onTestFinished(async () => {
    stop.abort();
    await ended;
  });
  const voters = () =>
    printed
      .map((line) => JSON.parse(line))
      .filter(({ type }) => type === 'vote.recorded')
      .map(({ data }) => data.userId);
  return { notes, voters, ended, stop };
}

test('listen prints events, forwards them signed, and continues after a broken connection without losing one', async () => {
  const { url: forward, received } = await eventReceiver(200);
  const database = newSqliteUrl();
  const first = await program(database);
  const { voters, notes } = listening(first.url, { forward });
  await eventually(() => expect(notes.join()).toContain('Listening'));
  await sendVote(first.url, members[0]);
  await eventually(() => expect(voters()).toEqual([members[0]]));
  await first.app.stop();
  // Another process on the same database and port: one vote comes before the reader is back.
  const second = await program(database, new URL(first.url).port);
  await sendVote(second.url, members[1]);
  await eventually(() => expect(voters()).toEqual([members[0], members[1]]));
  await sendVote(second.url, members[2]);
  await eventually(() => expect(voters()).toEqual(members.slice(0, 3)));
  await eventually(() => expect(received.length).toBeGreaterThanOrEqual(3));
  for (const { headers, body } of received) new Webhook(secret).verify(body, headers as Record<string, string>);
});

test('a reader can begin with the events of the last hour', async () => {
  const { url } = await program();
  for (const member of members.slice(0, 2)) await sendVote(url, member);
  const { voters } = listening(url, { replay: '1h' });
  await eventually(() => expect(voters()).toEqual(members.slice(0, 2)));
});

test('nobody reads the stream without the token, and a wrong place is said', async () => {
  const { url } = await program();
  const status = async (headers: Record<string, string>) =>
    (await fetch(`${url}/owner/api/events`, { headers })).status;
  expect(await status({})).toBe(401);
  expect(await status({ authorization: 'Bearer wrong' })).toBe(401);
  expect(await status({ authorization: `Bearer ${token}`, 'last-event-id': 'x' })).toBe(400);
});

test.each([
  [{ url: 'votes.example.org' }, '--url must be a URL'],
  [{ url: 'localhost:3000' }, '--url must be a URL'],
  [{ forward: 'localhost:8000' }, '--forward must be a URL'],
  [{ forward: 'http://localhost:8000', secret: 'short' }, '--secret is invalid'],
])('listen says what is wrong with %o', async (options, message) => {
  const terminal = { ...captive().terminal, stop: AbortSignal.abort() };
  const all = { url: 'http://127.0.0.1:9', token, ...options };
  await expect(listen(all, terminal)).rejects.toThrow(
    expect.objectContaining({ message: expect.stringContaining(message) }),
  );
});
