import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';

/** Lets only the bearer of the token pass. The comparison is of digests and in constant time. */
export function requireToken(token: string): RequestHandler {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expected = digest(token);
  return (request, response, next) => {
    const [, given = ''] = /^Bearer +(.+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (timingSafeEqual(expected, digest(given))) return next();
    response
      .status(401)
      .set('www-authenticate', 'Bearer')
      .json({ success: false, error: 'Send "Authorization: Bearer …" with the OWNER_TOKEN.' });
  };
}
