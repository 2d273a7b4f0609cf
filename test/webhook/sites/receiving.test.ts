import { createHmac } from 'node:crypto';
import { hour, minute } from '@tallyhook/platform/durations';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it } from 'vitest';
import { signDelivery } from '../../../src/webhook/sites/authenticate.ts';
import { findSite, sites } from '../../../src/webhook/sites/index.ts';
import { environmentWith } from '../../support/listings-file.ts';
import { startApp } from '../../support/start-app.ts';
import { bodies, target, topggVersion1, votedAt, voter } from './bodies.ts';

const secret = 'whs_a secret of the site';
const start = votedAt + minute;

interface Answer {
  readonly status: number;
  readonly outcome: string | undefined;
  readonly error: string | undefined;
}

/** The program as a receiver, with a listing for each site, named like it, and one of the document's service. */
async function startProgram(
  changes: Readonly<Record<string, object>> = {},
  named: readonly string[] = sites.map(({ id }) => id),
) {
  const listings = sites
    .filter(({ id }) => named.includes(id))
    .map(({ id, kinds }) => ({
      ...{ name: id, kind: bodies[id]?.kind ?? kinds[0], id: target, site: id, voteSecrets: [secret] },
      ...changes[id],
    }));
  const clock = manualClock(start);
  const own = { TALLYHOOK_ROLES: 'receive', OWNER_TOKEN: 'owner-token' };
  const { url, lines } = await startApp({ ...environmentWith(listings), ...own }, { clock });

  async function post(
    path: string,
    headers: Record<string, string>,
    body: string | Uint8Array<ArrayBuffer>,
  ): Promise<Answer> {
    const response = await fetch(url + path, { method: 'POST', headers, body });
    const { outcome, error } = (await response.json()) as { outcome?: string; error?: string };
    return { status: response.status, outcome, error };
  }
  /** Sends a delivery as the site does: with its last scheme unless another is named. */
  function send(id: string, body: unknown, { scheme = -1, path = `/webhooks/${id}`, at = clock.now() } = {}) {
    const used = findSite({ id }).schemes.at(scheme);
    if (used === undefined) throw new Error('No scheme');
    const signed = signDelivery(used, typeof body === 'string' ? body : JSON.stringify(body), secret, at);
    return post(path, { ...signed.headers }, signed.body);
  }
  async function owner(path: string): Promise<Record<string, unknown>> {
    const response = await fetch(`${url}/owner/api${path}`, { headers: { authorization: 'Bearer owner-token' } });
    return (await response.json()) as Record<string, unknown>;
  }
  const member = (userId = voter) => owner(`/users/${userId}`);
  return { clock, lines, url, post, send, owner, member };
}

describe('deliveries of other sites', () => {
  it('are recorded, logged and answered as documented, over HTTP', async () => {
    const { send, owner, member } = await startProgram();
    let votes = 0;
    for (const [id, { votes: sent, tests = [], others = [] }] of Object.entries(bodies)) {
      const [vote] = sent;
      expect(await send(id, vote), id).toMatchObject({ status: 200, outcome: 'recorded' });
      votes += 1;
      expect(await send(id, vote), id).toMatchObject({ outcome: 'duplicate' });
      for (const test of tests) expect(await send(id, test), id).toMatchObject({ outcome: 'test' });
      for (const other of others) expect(await send(id, other), id).toMatchObject({ outcome: 'ignored' });
    }
    expect(await member()).toMatchObject({ votes, credits: votes * 10 });
    const { deliveries } = await owner('/deliveries?outcome=ignored&limit=100');
    expect(deliveries).toHaveLength(Object.values(bodies).flatMap(({ others = [] }) => others).length);
    expect(deliveries).toContainEqual(expect.objectContaining({ outcome: 'ignored', credits: 0, kind: 'NEW_REVIEW' }));
    expect(await owner('/summary')).toMatchObject({ deliveries: { recorded: votes } });
  });

  it('name the site that they are from at the address of a listing on another one', async () => {
    const { post, send, lines, clock } = await startProgram();
    const hints = () => lines.filter((line) => line.includes('deliveries of another site arrive'));
    const [topgg, diffcord] = ['topgg', 'diffcord'].map((id) => findSite({ id }));
    const forms = {
      topgg: { bot: target, user: voter, type: 'upvote', isWeekend: false, query: '' },
      diffcord: bodies['diffcord']?.votes[0],
    };
    for (const path of ['/webhooks', '/webhooks/vote', '/webhooks/service', '/webhooks/disurl']) {
      for (const scheme of [0, 1]) {
        const answer = await send('topgg', scheme === 0 ? topggVersion1 : forms.topgg, { scheme, path });
        expect(answer, path).toMatchObject({ status: 401, error: expect.stringContaining(`"site" to "${topgg?.id}"`) });
      }
      const answer = await send('diffcord', forms.diffcord, { path });
      expect(answer).toMatchObject({ status: 401, error: expect.stringContaining(`delivery of ${diffcord?.name}`) });
    }
    // Once for each listing and site, in an hour.
    expect(hints()).toHaveLength(6);
    await clock.advance(hour);
    await send('topgg', topggVersion1, { scheme: 0, path: '/webhooks/service' });
    expect(hints()).toHaveLength(7);
    expect(hints().at(-1)).toMatch(/"listing":"service","site":"topgg","hint":"[^"]*\/setup/);

    const vote = JSON.stringify({ event: 'server_vote', serverId: target, userId: voter });
    const ofService = createHmac('sha256', secret).update(vote).digest('hex');
    const swapped = await post('/webhooks/topgg', { 'x-webhook-signature': ofService }, vote);
    expect(swapped).toMatchObject({ status: 401, error: expect.stringContaining('the listing service') });
    for (const [header, site] of [
      ['x-dbl-signature', 'discordbotlist'],
      ['x-webhook-protocol', 'infinity'],
      ['x-topgg-signature', 'topgg'],
    ] as const) {
      const answer = await post('/webhooks/vote', { [header]: 'anything' }, '{}');
      expect(answer, header).toMatchObject({ status: 401, error: expect.stringContaining(`"site" to "${site}"`) });
    }
    // What to change at the site itself.
    const encrypted = {
      'x-webhook-protocol': 'splashtail',
      'x-webhook-nonce': 'n',
      'x-webhook-signature': '0'.repeat(128),
    };
    expect((await post('/webhooks/infinity', encrypted, '00')).error).toContain(
      'Choose this protocol at Infinity Bots',
    );
    expect((await post('/webhooks/voidbots', {}, '{}')).error).toContain(
      'Enter the secret of the listing at Void Bots',
    );
    // A wrong secret of the right site, and what no site sends.
    const forged = await post('/webhooks/topgg', { authorization: 'wrong' }, JSON.stringify(forms.topgg));
    const unknown = await post('/webhooks/vote', {}, '{"a":1}');
    for (const { status, error } of [forged, unknown]) {
      expect(status).toBe(401);
      expect(error).not.toContain('looks like');
    }
  });

  it('are as large as their site documents, and stored without the lists of other voters', async () => {
    const { send, owner } = await startProgram({}, ['discords', 'voidbots']);
    const { votes: [vote] = [] } = bodies['discords'] ?? {};
    const votersOf = (count: number) => ({
      ...{ totalVotes: 5, votes24: 3, votesMonth: 4 },
      ...{ hasVoted: Array.from({ length: count }, () => '80351110224678912'), hasVoted24: ['80351110224678912'] },
    });
    const large = { ...vote, votes: votersOf(40_000) };
    expect(await send('discords', large)).toMatchObject({ outcome: 'recorded' });
    expect(await send('discords', large)).toMatchObject({ outcome: 'duplicate' });
    const { deliveries } = await owner('/deliveries?outcome=recorded');
    const [stored] = deliveries as { body: string }[];
    expect(JSON.parse(stored?.body ?? '')).toEqual({
      ...vote,
      votes: { ...votersOf(0), hasVoted: 40_000, hasVoted24: 1 },
    });
    expect(await send('discords', { ...vote, votes: votersOf(60_000) })).toMatchObject({ status: 413 });
    expect(await send('discords', { ...vote, note: 'x'.repeat(70_000) })).toMatchObject({ status: 413 });
    expect(await send('voidbots', { ...bodies['voidbots']?.votes[0], votes: votersOf(4_000) })).toMatchObject({
      status: 413,
    });
  });

  it('are accepted at the address of their listing only, with its secret and scheme (T6, T15)', async () => {
    const others = { discords: { voteSecrets: ['another'] }, service: { voteSecrets: ['another'] } };
    const { send, post } = await startProgram(others);
    const {
      votes: [vote],
    } = topggVersion1;
    for (const path of [
      '/webhooks',
      '/webhooks/vote',
      '/webhooks/premium',
      '/webhooks/topgg/vote',
      '/webhooks/discords',
      '/webhooks/infinity',
    ])
      expect(await send('topgg', vote, { scheme: 0, path }), path).toMatchObject({ status: 401 });
    expect(
      (await send('topgg', vote, { scheme: 0, path: '/webhooks/unknown' }).catch(() => ({ status: 404 }))).status,
    ).toBe(404);
    const body = JSON.stringify(vote);
    const seed = createHmac('sha256', secret).update(body).digest('hex');
    expect(await post('/webhooks/topgg', { 'x-webhook-signature': seed }, body)).toMatchObject({ status: 401 });
    const ofService = JSON.stringify({ event: 'bot_vote', botId: target, userId: voter });
    const signature = createHmac('sha256', secret).update(ofService).digest('hex');
    for (const path of ['/webhooks', '/webhooks/vote', '/webhooks/topgg'])
      expect(await post(path, { 'x-webhook-signature': signature }, ofService), path).toMatchObject({ status: 401 });
    // A relay that dropped the signature.
    expect(await post('/webhooks/topgg', { authorization: secret }, body)).toMatchObject({ outcome: 'quarantined' });
    expect(await post('/webhooks/topgg', { authorization: secret, 'x-topgg-signature': '' }, body)).toMatchObject({
      status: 401,
    });
    expect(await send('topgg', vote, { scheme: 0 })).toMatchObject({ outcome: 'recorded' });
  });

  it('have a body that is JSON, once their sender is known', async () => {
    const { send, post } = await startProgram();
    expect(await post('/webhooks/topgg', { authorization: 'wrong' }, 'no json')).toMatchObject({ status: 401 });
    expect(await send('topgg', 'no json')).toMatchObject({ status: 400, error: 'The body is not JSON.' });
    expect(await send('topgg', '')).toMatchObject({ status: 400, error: 'The body is empty.' });
    expect(await send('infinity', '{', { scheme: 0 })).toMatchObject({ status: 400 });
    // Infinity says text/plain (T11).
    const {
      votes: [vote],
    } = bodies['infinity'] ?? { votes: [] };
    const signed = signDelivery(findSite({ id: 'infinity' }).schemes[0], JSON.stringify(vote), secret, start);
    const headers = { ...signed.headers, 'content-type': 'text/plain' };
    expect(await post('/webhooks/infinity', headers, signed.body)).toMatchObject({ outcome: 'recorded' });
  });
});

describe('top.gg', () => {
  const [vote] = topggVersion1.votes;

  it('credits the Discord ID, and nobody on another platform (T5)', async () => {
    const { send, member } = await startProgram();
    const elsewhere = JSON.parse(JSON.stringify(vote).replace('"discord"', '"roblox"'));
    expect(await send('topgg', elsewhere, { scheme: 0 })).toMatchObject({ outcome: 'quarantined' });
    expect(await send('topgg', vote, { scheme: 0 })).toMatchObject({ outcome: 'recorded' });
    expect(await member()).toMatchObject({ votes: 1 });
  });

  it('is one vote however often it is sent, and with a signature of up to a day ago (T20)', async () => {
    const { clock, send, member } = await startProgram();
    expect(await send('topgg', vote, { scheme: 0, at: start - 23 * hour })).toMatchObject({ outcome: 'recorded' });
    await clock.advance(minute);
    expect(await send('topgg', vote, { scheme: 0 })).toMatchObject({ outcome: 'duplicate' });
    const signedLongAgo = { scheme: 0, at: clock.now() - 25 * hour };
    expect(await send('topgg', vote, signedLongAgo)).toMatchObject({ outcome: 'duplicate' });
    const old = JSON.parse(JSON.stringify(vote).replace('808499215864008704', '9').replace('00:47', '00:46'));
    expect(await send('topgg', old, signedLongAgo)).toMatchObject({ outcome: 'quarantined' });
    expect(await send('topgg', old, { scheme: 0, at: clock.now() + 6 * minute })).toMatchObject({ status: 401 });
    expect(await member()).toMatchObject({ votes: 1 });
  });
});

describe('sites with traps of their own', () => {
  it('a vote that names another bot is quarantined, and so is an unclear test (T8, T9)', async () => {
    const { send } = await startProgram();
    for (const [id, body] of [
      ['topgg', { bot: '111111111111111111', user: voter, type: 'upvote' }],
      ['topgg', { bot: target, user: voter }],
      ['discordplace', { guild: target, user: voter, test: 'true' }],
      ['discordplace', { bot: target, user: voter, test: false }],
      ['discordforge', { id: voter, isTest: 1 }],
      ['botradar', { bot: Number(target), user: voter, type: 'upvote', votedAt: new Date(start).toISOString() }],
      ['guildsme', { event: 'vote', guildId: target, user: { id: voter } }],
    ] as const)
      expect(await send(id, body), JSON.stringify(body)).toMatchObject({ outcome: 'quarantined' });
  });

  it('discordlist.gg: a verified delivery is stored with its content and pays nothing', async () => {
    const { send, owner } = await startProgram();
    expect(await send('discordlistgg', { userId: voter, botId: target })).toMatchObject({ outcome: 'quarantined' });
    const { deliveries } = (await owner('/deliveries?outcome=quarantined')) as { deliveries: { body: string }[] };
    expect(deliveries).toMatchObject([
      {
        body: JSON.stringify({ userId: voter, botId: target }),
        reason: 'the fields of discordlist.gg are not known yet',
      },
    ]);
  });

  it('capture: stores what arrives, with the names of the headers and no secret', async () => {
    const { post, owner, clock, lines } = await startProgram();
    const text = `{"authorization":"token-in-the-body","note":"${secret}","user":"${voter}"}`;
    const sent = { authorization: 'Bearer token-of-the-header', 'x-new-site': 'v1', 'content-type': 'text/plain' };
    expect(await post('/webhooks/capture', sent, text)).toMatchObject({ status: 200, outcome: 'quarantined' });
    const { deliveries } = (await owner('/deliveries?outcome=quarantined')) as {
      deliveries: { reason: string; body: string }[];
    };
    const [{ reason, body } = { reason: '', body: '' }] = deliveries;
    expect(reason).toMatch(/^captured with the headers .*authorization.*x-new-site/);
    expect(body).toBe(`{"authorization":"[secret]","note":"[secret]","user":"${voter}"}`);
    expect(JSON.stringify([deliveries, lines])).not.toMatch(/token-|whs_/);
    for (const bytes of [new Uint8Array([0, 0xff, 0]), new Uint8Array()])
      expect(await post('/webhooks/capture', {}, bytes)).toMatchObject({ outcome: 'quarantined' });
    const answers = new Set<number>();
    for (let more = 0; more < 100; more += 1) answers.add((await post('/webhooks/capture', {}, '{}')).status);
    expect([...answers]).toEqual([200, 503]);
    await clock.advance(2 * hour);
    expect(await post('/webhooks/capture', {}, '{}')).toMatchObject({ status: 200 });
  });
});
