import { createHmac, timingSafeEqual } from 'node:crypto';

export function verify(secret, id, timestamp, signatures, body) {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  const given = signatures.split(' ').map((each) => Buffer.from(each.replace(/^v1,/, ''), 'base64'));
  const isGenuine = given.some((each) => each.length === expected.length && timingSafeEqual(each, expected));
  return key.length > 0 && isGenuine && Math.abs(Date.now() / 1000 - Number(timestamp)) < 300;
}
