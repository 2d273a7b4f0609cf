import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { authenticate, rejectByHeaders } from '../../../src/webhook/sites/authenticate.ts';
import { sites } from '../../../src/webhook/sites/index.ts';
import { votedAt } from './bodies.ts';

const now = votedAt;
const seconds = Math.floor(now / 1_000);
const text = '{"type":"vote.create"}';
const body = Buffer.from(text);
const hmac = (message: string, secret = 'whs_secret') => createHmac('sha256', secret).update(message).digest('hex');
const digits = hmac(`${seconds}.${text}`);

function status(id: string, headers: Record<string, string>, { bytes = body, secrets = ['old', 'whs_secret'] } = {}) {
  const site = sites.find((each) => each.id === id);
  if (site === undefined) throw new Error(id);
  const readHeader = (name: string) => headers[name];
  const sender = authenticate(site, { readHeader, body: bytes }, secrets, now);
  const early = rejectByHeaders(site, readHeader, secrets, now);
  if (early !== null) expect(sender).toEqual(early);
  const shown = JSON.stringify(sender);
  for (const secret of secrets) expect(shown).not.toContain(secret);
  return 'error' in sender ? 401 : 200;
}

describe('top.gg', () => {
  it('accepts the signature of the time and the raw body by any secret', () => {
    expect(status('topgg', { 'x-topgg-signature': `t=${seconds},v1=${digits}` })).toBe(200);
    expect(status('topgg', { 'x-topgg-signature': `t=${seconds},v1=${digits}` }, { secrets: ['other'] })).toBe(401);
    expect(status('topgg', { 'x-topgg-signature': `t=${seconds},v1=${digits}` }, { secrets: [] })).toBe(401);
    expect(status('topgg', { 'x-topgg-signature': `t=${seconds + 1},v1=${digits}` })).toBe(401);
    expect(status('topgg', { 'x-topgg-signature': `t=${seconds},v1=${digits}` }, { bytes: Buffer.from('{}') })).toBe(
      401,
    );
  });

  it('never tries the token after a signature, be it empty or malformed (T6)', () => {
    const authorization = 'whs_secret';
    expect(status('topgg', { authorization })).toBe(200);
    for (const value of [
      '',
      't=',
      digits,
      `t=${seconds},v1=${'0'.repeat(64)}`,
      `v1=${digits},t=${seconds}`,
      `t=1,v1=,v0=x`,
    ])
      expect(status('topgg', { authorization, 'x-topgg-signature': value }), value).toBe(401);
  });

  it('rejects a time that is more than 5 minutes ahead', () => {
    for (const [ahead, expected] of [
      [299, 200],
      [301, 401],
    ] as const) {
      const t = seconds + ahead;
      expect(status('topgg', { 'x-topgg-signature': `t=${t},v1=${hmac(`${t}.${text}`)}` })).toBe(expected);
    }
  });

  it('rejects everything without credentials', () => {
    expect(status('topgg', {})).toBe(401);
    expect(status('topgg', { authorization: '' })).toBe(401);
    expect(status('topgg', { authorization: 'Bearer whs_secret' })).toBe(401);
    expect(status('topgg', { 'x-webhook-signature': hmac(String(body)) })).toBe(401);
  });
});

describe('Infinity', () => {
  it('accepts hmac-sha256 and simple-auth, and rejects probes with a random secret (T7)', () => {
    const signature = (secret: string) => ({ 'x-webhook-signature': `sha256=${hmac(String(body), secret)}` });
    expect(status('infinity', signature('whs_secret'))).toBe(200);
    expect(status('infinity', signature('random'))).toBe(401);
    expect(status('infinity', { authorization: 'whs_secret' })).toBe(200);
    expect(status('infinity', { authorization: 'random' })).toBe(401);
    expect(status('infinity', { ...signature('random'), authorization: 'whs_secret' })).toBe(401);
    expect(status('infinity', { 'x-webhook-signature': hmac(String(body)), authorization: 'whs_secret' })).toBe(401);
  });
});

describe('tokens', () => {
  it('are compared with the complete header, and what the site writes before the secret (T19)', () => {
    const accepts = (id: string, authorization: string) => status(id, { authorization }) === 200;
    expect(accepts('disurl', 'Basic whs_secret')).toBe(true);
    expect(accepts('disurl', `Basic ${Buffer.from('whs_secret').toString('base64')}`)).toBe(false);
    expect(accepts('disurl', 'whs_secret')).toBe(false);
    expect(accepts('discollab', 'Bearer whs_secret')).toBe(true);
    expect(accepts('discollab', 'bearer whs_secret')).toBe(false);
    expect(accepts('discollab', 'whs_secret')).toBe(false);
    for (const { id, schemes } of sites.filter(({ schemes }) =>
      schemes.some((s) => s.type === 'token' && s.prefix === ''),
    )) {
      expect(schemes.at(-1)?.type).toBe('token');
      expect(accepts(id, 'whs_secret'), id).toBe(true);
      for (const wrong of ['whs_secret ', 'whs_secre', 'Bearer whs_secret', 'WHS_SECRET', 'whs_secret, whs_secret'])
        expect(accepts(id, wrong), `${id} ${wrong}`).toBe(false);
    }
  });
});

describe('discordlist.gg', () => {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const jws = (head: object, secret = 'whs_secret') => {
    const message = `${encode(head)}.${encode({ userId: '1' })}`;
    const digest = createHmac('sha256', secret).update(message).digest('base64url');
    return { bytes: Buffer.from(`${message}.${digest}`) };
  };

  it('verifies a JSON Web Signature with the algorithm HS256, and no other (T11)', () => {
    expect(status('discordlistgg', {}, jws({ alg: 'HS256', typ: 'JWT' }))).toBe(200);
    expect(status('discordlistgg', {}, jws({ alg: 'HS256' }, 'other'))).toBe(401);
    for (const alg of ['none', 'HS512', 'RS256', 'hs256', null, ['HS256']])
      expect(status('discordlistgg', {}, jws({ alg })), String(alg)).toBe(401);
    const unsigned = `${encode({ alg: 'none' })}.${encode({ userId: '1' })}.`;
    for (const text of ['', '..', '{}', unsigned, `${String(jws({ alg: 'HS256' }).bytes)}.x`])
      expect(status('discordlistgg', { authorization: 'whs_secret' }, { bytes: Buffer.from(text) }), text).toBe(401);
  });
});
