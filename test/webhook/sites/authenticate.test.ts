import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { authenticate, rejectByHeaders, signDelivery } from '../../../src/webhook/sites/authenticate.ts';
import { createDescribedSite, type DescribedSignature } from '../../../src/webhook/sites/described-site.ts';
import { sites } from '../../../src/webhook/sites/index.ts';
import { votedAt } from './bodies.ts';

const now = votedAt;
const seconds = Math.floor(now / 1_000);
const text = '{"type":"vote.create"}';
const body = Buffer.from(text);
const hmac = (message: string, secret = 'whs_secret') => createHmac('sha256', secret).update(message).digest('hex');
const digits = hmac(`${seconds}.${text}`);

function status(
  id: string | DescribedSignature,
  headers: Record<string, string>,
  { bytes = body, secrets = ['old', 'whs_secret'] } = {},
) {
  const site = typeof id === 'string' ? sites.find((each) => each.id === id) : describedSite(id);
  if (site === undefined) throw new Error('There is no such site.');
  const readHeader = (name: string) => headers[name];
  const sender = authenticate(site, { readHeader, body: bytes }, { secrets }, now);
  const early = rejectByHeaders(site, readHeader, { secrets }, now);
  if (early !== null) expect(sender).toEqual(early);
  const shown = JSON.stringify(sender);
  for (const secret of secrets) expect(shown).not.toContain(secret);
  return 'error' in sender ? 401 : 200;
}

const describedSite = (signature: DescribedSignature) =>
  createDescribedSite('custom', { name: 'Elsewhere', page: null, user: 'user', signature });

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

describe('a site that is described with a signature', () => {
  const digest = (message: string, encoding: 'hex' | 'base64' = 'hex') =>
    createHmac('sha256', 'whs_secret').update(message).digest(encoding);
  const described = { scheme: 'hmac-sha256', header: 'X-Signature' } as const;
  const timestamp = { header: 'X-Timestamp', unit: 's' } as const;
  const timed = { ...described, signed: '{timestamp}.{body}', timestamp } as const;
  const time = String(seconds);

  it.each<[string, DescribedSignature, Record<string, string>]>([
    ['hex digits', described, { 'x-signature': digest(text) }],
    ['hex digits in upper case', described, { 'x-signature': digest(text).toUpperCase() }],
    ['a prefix', { ...described, prefix: 'sha256=' }, { 'x-signature': `sha256=${digest(text)}` }],
    ['base64', { ...described, encoding: 'base64' }, { 'x-signature': digest(text, 'base64') }],
    [
      'base64 without padding',
      { ...described, encoding: 'base64' },
      { 'x-signature': digest(text, 'base64').slice(0, -1) },
    ],
    ['a time before the body', timed, { 'x-timestamp': time, 'x-signature': digest(`${time}.${text}`) }],
    [
      'a time in milliseconds behind the body',
      { ...timed, signed: '{body}:{timestamp}', timestamp: { ...timestamp, unit: 'ms' } },
      { 'x-timestamp': String(now), 'x-signature': digest(`${text}:${now}`) },
    ],
    [
      'base64 of seconds and the body, without anything in between',
      { ...timed, encoding: 'base64', signed: '{timestamp}{body}' },
      { 'x-timestamp': time, 'x-signature': digest(time + text, 'base64') },
    ],
  ])('accepts %s, of this body and secret alone', (_name, signature, headers) => {
    expect(status(signature, headers)).toBe(200);
    expect(status(signature, headers, { secrets: ['other'] })).toBe(401);
    expect(status(signature, headers, { bytes: Buffer.from('{}') })).toBe(401);
    expect(status(signature, headers, { bytes: Buffer.from([0xff]) })).toBe(401);
    for (const name of Object.keys(headers)) {
      const { [name]: _, ...others } = headers;
      expect(status(signature, others), `without ${name}`).toBe(401);
      for (const wrong of ['', 'whs_secret', '0'.repeat(64), `${headers[name]}0`])
        expect(status(signature, { ...headers, [name]: wrong }), `${name}: ${wrong}`).toBe(401);
    }
    expect(status(signature, { authorization: 'whs_secret' })).toBe(401);
    const sent = signDelivery(describedSite(signature).schemes[0], text, 'whs_secret', now);
    expect(status(signature, { ...sent.headers })).toBe(200);
  });

  it('replaces nothing in what the sender chooses, and rejects a time ahead', () => {
    const at = (t: number) => ({ 'x-timestamp': String(t), 'x-signature': digest(`${t}.${text}`) });
    expect(status(timed, at(seconds + 299))).toBe(200);
    expect(status(timed, at(seconds + 301))).toBe(401);
    expect(status(timed, at(now))).toBe(401);
    for (const t of ['$&', '{body}', `${seconds}.0`, `-${seconds}`, ` ${seconds}`])
      expect(status(timed, { 'x-timestamp': t, 'x-signature': digest(`${t}.${text}`) }), t).toBe(401);
  });

  describe('by Standard Webhooks', () => {
    const standard = { scheme: 'standard-webhooks' } as const;
    // The example of the specification.
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const bytes = Buffer.from('{"test": 2432232314}');
    const headers = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    };
    const accepts = (changed: Record<string, string>, secrets = [secret]) =>
      status(standard, { ...headers, ...changed }, { bytes, secrets }) === 200;

    it('accepts a digest of any secret among those of other versions', () => {
      expect(accepts({})).toBe(true);
      expect(accepts({}, ['whsec_b3RoZXItb3RoZXItb3RoZXI=', secret.slice('whsec_'.length)])).toBe(true);
      expect(accepts({ 'webhook-signature': `v1a,x v1,${'A'.repeat(43)}= ${headers['webhook-signature']}` })).toBe(
        true,
      );
      expect(accepts({}, ['whsec_b3RoZXItb3RoZXItb3RoZXI='])).toBe(false);
    });

    it('never takes a secret that is no key for an empty one', () => {
      const signed = createHmac('sha256', '')
        .update(`${headers['webhook-id']}.1614265330.${bytes.toString()}`)
        .digest('base64');
      expect(accepts({ 'webhook-signature': `v1,${signed}` }, ['not a key'])).toBe(false);
    });

    it('rejects another id or time, what is empty, and a digest of another version', () => {
      for (const name of Object.keys(headers)) expect(accepts({ [name]: '' }), name).toBe(false);
      expect(accepts({ 'webhook-id': 'msg_other' })).toBe(false);
      expect(accepts({ 'webhook-timestamp': '1614265331' })).toBe(false);
      expect(accepts({ 'webhook-signature': headers['webhook-signature'].replace('v1', 'v2') })).toBe(false);
      expect(accepts({ 'webhook-signature': headers['webhook-signature'].replace('v1,', '') })).toBe(false);
    });
  });
});
