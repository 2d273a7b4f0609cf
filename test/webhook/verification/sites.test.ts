import { describe, expect, it } from 'vitest';
import { VerificationError, verify } from '../../../src/exports/verify.ts';
import { authenticate, signDelivery } from '../../../src/webhook/sites/authenticate.ts';
import { sites } from '../../../src/webhook/sites/index.ts';
import { bodies, target, topggVersion1, votedAt, voter } from '../sites/bodies.ts';

const secret = 'whs_a secret of the site';
const now = votedAt + 2_000;

/** The event, or the code of the error. */
async function verifyAs(site: string, request: { headers: object; body: string }, { id = target, at = now } = {}) {
  const headers = new Headers(Object.entries(request.headers));
  try {
    return await verify({ headers, body: request.body }, { site, secrets: ['old', secret], id }, { now: at });
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error;
    expect(JSON.stringify([error.message, error.hint])).not.toContain(secret);
    return { code: error.code, status: error.status };
  }
}

it('verify takes a body that is as large as its site documents', async () => {
  const { votes: [vote] = [] } = bodies['discords'] ?? {};
  const request = (voters: number) => ({
    headers: { authorization: secret },
    body: JSON.stringify({ ...vote, votes: { hasVoted: Array.from({ length: voters }, () => voter) } }),
  });
  expect(await verifyAs('discords', request(20_000))).toMatchObject({ type: 'vote', userId: voter });
  expect(await verifyAs('discords', request(60_000))).toMatchObject({ status: 413 });
  expect(await verifyAs('voidbots', request(20_000))).toMatchObject({ status: 413 });
});

it('verify names the site of a delivery that is from another one', async () => {
  const message = (own: string | null, id: string, body: object) => {
    const site = sites.find((each) => each.id === id) ?? sites[0];
    if (site === undefined) throw new Error('no site');
    const { headers, body: sent } = signDelivery(site.schemes[0], JSON.stringify(body), secret, now);
    const request = { headers, body: sent };
    const verified =
      own === null ? verify(request, secret, { now }) : verify(request, { site: own, secrets: secret }, { now });
    return verified.catch(({ message: text }: Error) => text);
  };
  const [ofDisurl = {}] = bodies['disurl']?.votes ?? [];
  expect(await message(null, 'topgg', topggVersion1)).toContain("of top.gg: pass { site: 'topgg', secrets } to verify");
  expect(await message('topgg', 'disurl', ofDisurl)).toContain("{ site: 'disurl', secrets }");
  const service = { event: 'server_vote', serverId: target, userId: voter, timestamp: new Date(now).toISOString() };
  expect(await message('topgg', 'service', service)).toContain('pass its secret alone');
});

const others = sites.filter(({ id }) => id !== 'service' && id !== 'capture');

describe.each(others)('verify, for $id', ({ id, schemes, write, kinds: [kind = 'bot'] }) => {
  it('accepts and rejects the same senders as the receiver', async () => {
    const site = { id, schemes, name: id } as (typeof sites)[number];
    const body = JSON.stringify(write({ kind, targetId: target, userId: voter, at: votedAt, id: '1', isTest: false }));
    const genuine = schemes.map((scheme) => signDelivery(scheme, body, secret, now));
    const forged = schemes.map((scheme) => signDelivery(scheme, body, 'another', now));
    const ahead = schemes.map((scheme) => signDelivery(scheme, body, secret, now + 6 * 60_000));
    const changed = genuine.map(({ headers }) => ({ headers, body: `${body} ` }));
    const empty = genuine.map(({ headers, body: sent }) => ({
      headers: Object.fromEntries(Object.keys(headers).map((name) => [name, ''])),
      body: sent,
    }));
    const mixed = genuine.flatMap(({ headers, body: sent }) =>
      forged.map((other) => ({ headers: { ...headers, ...other.headers }, body: sent })),
    );
    const none = { headers: {}, body };
    for (const request of [...genuine, ...forged, ...ahead, ...changed, ...empty, ...mixed, none]) {
      const headers = new Map(Object.entries(request.headers));
      const delivery = { readHeader: (name: string) => headers.get(name), body: Buffer.from(request.body) };
      const sender = authenticate(site, delivery, { secrets: ['old', secret] }, now);
      const verdict = await verifyAs(id, request);
      const isRejected = 'status' in verdict && verdict.status === 401;
      expect(isRejected, JSON.stringify(request)).toBe('error' in sender);
      if ('error' in sender) expect(verdict).toMatchObject({ code: sender.code });
    }
  });
});

describe('verify, for another site', () => {
  const topgg = others[0] ?? sites[0];
  const [vote] = topggVersion1.votes;
  const signed = (body: unknown, at = now) =>
    signDelivery(topgg?.schemes[0] ?? { type: 'none' }, JSON.stringify(body), secret, at);

  it('has one key for all deliveries of a vote, and what the site says of it', async () => {
    const first = await verifyAs('topgg', signed(vote));
    expect(first).toMatchObject({
      listing: { kind: 'bot', id: target },
      at: votedAt,
      key: expect.stringMatching(/^[0-9a-f]{32}$/),
      atSite: { id: '808499215864008704', weight: 1, nextVoteAt: votedAt + 43_200_000 },
    });
    const again = await verifyAs('topgg', signed({ ...vote, extra: 1 }, now + 1_000));
    expect(again).toMatchObject({ key: 'key' in first ? first.key : null });
    const untimed = signDelivery(
      { type: 'token', header: 'authorization', prefix: '' },
      JSON.stringify(bodies['topgg']?.votes[0]),
      secret,
      now,
    );
    expect(await verifyAs('topgg', untimed)).toMatchObject({ at: null, key: null });
    for (const [type, bodiesOf] of [
      ['test', topggVersion1.tests],
      ['ignored', topggVersion1.others],
    ] as const)
      for (const body of bodiesOf ?? [])
        expect(await verifyAs('topgg', signed(body))).toMatchObject({ type, key: null });
  });

  it('does not process a vote for another bot, or a signature older than a day', async () => {
    const unprocessable = { code: 'webhook_unprocessable', status: 200 };
    expect(await verifyAs('topgg', signed(vote), { id: '111111111111111111' })).toEqual(unprocessable);
    expect(await verifyAs('topgg', signed(vote), { at: now + 25 * 3_600_000 })).toEqual(unprocessable);
    expect(await verifyAs('topgg', signed('text'))).toEqual(unprocessable);
  });

  it('needs a site that is known, and a secret', async () => {
    const request = { headers: {}, body: '{}' };
    await expect(verify(request, { site: 'topg', secrets: 'x' })).rejects.toMatchObject({
      code: 'invalid_options',
      hint: 'Did you mean topgg?',
    });
    await expect(verify(request, { site: 'capture', secrets: 'x' })).rejects.toMatchObject({ code: 'invalid_options' });
    for (const secrets of [undefined, '', [], ['']])
      await expect(verify(request, { site: 'topgg', secrets })).rejects.toMatchObject({
        code: 'webhook_secret_missing',
      });
  });
});
