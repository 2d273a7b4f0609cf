import { createHash } from 'node:crypto';
import { TallyhookError } from '@tallyhook/platform/errors';
import { HttpError, handleErrors } from '@tallyhook/platform/web/http-error';
import { equalSecrets } from '@tallyhook/platform/web/session-cookie';
import { checkTarget } from '@tallyhook/platform/webhooks/target';
import express, { Router } from 'express';
import { z } from 'zod';
import { testWebhook } from '../actions/configure-webhook.ts';
import type { PageDependencies } from '../pages/page-routes.ts';
import { listingIdOfKey } from '../storage/listings/keys.ts';
import { findListing } from '../storage/listings/listings.ts';
import { findMember } from '../storage/members/members.ts';
import {
  address,
  connectListing,
  connectRequestBody,
  connectTtlMs,
  insertConnectRequest,
  redeemConnectCode,
} from './connect-requests.ts';

/** The paths of the protocol; see docs/connect.md. */
const paths = { discovery: '/.well-known/vote-connect', request: '/connect/requests', token: '/connect/token' };
const testPath = '/connect/test';

const tokenBody = z.object({
  code: z.string().max(200),
  code_verifier: z.string().regex(/^[\w.~-]{43,128}$/),
  redirect_uri: address,
});

/** Endpoints that bots call from server to server: with a code or a key, never with a session. */
export function connectEndpoints(dependencies: PageDependencies): Router {
  const { database, clock, targets, admission, queued, log, origin } = dependencies;
  const router = Router();
  const json = express.json({ limit: '16kb' });

  router.get(paths.discovery, (_request, response) => {
    response.set('cache-control', 'public, max-age=300').json({
      version: 1,
      request_endpoint: origin + paths.request,
      token_endpoint: origin + paths.token,
      test_endpoint: origin + testPath,
    });
  });

  router.post(paths.request, json, async (request, response) => {
    await admission.count(request, 'sign-in', null);
    const asked = read(connectRequestBody, request.body);
    const { origin: asker, host } = new URL(asked.redirect_uri);
    const addresses = Object.values(asked.webhooks);
    // One origin, so that the page can name whom everything goes to. The host is also in a header.
    if (!/^[\w.:[\]-]+$/.test(host) || addresses.some((each) => new URL(each).origin !== asker)) {
      throw new HttpError(400, 'redirect_uri and webhooks must have the same origin.');
    }
    for (const each of [asked.redirect_uri, ...addresses]) await checkTarget(each, targets).catch(rethrowAsHttpError);
    const id = await insertConnectRequest(database, asked, clock.now());
    response.status(201).set('cache-control', 'no-store');
    response.json({ consent_url: `${origin}/connect/${id}`, expires_in: connectTtlMs / 1_000 });
  });

  router.post(paths.token, json, async (request, response) => {
    await admission.count(request, 'sign-in', null);
    const { code, code_verifier: verifier, redirect_uri: redirectUri } = read(tokenBody, request.body);
    const asked = await redeemConnectCode(database, code, clock.now());
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    if (asked === null || asked.redirect_uri !== redirectUri || !equalSecrets(challenge, asked.code_challenge)) {
      throw new HttpError(400, 'The code was used, has expired, or belongs to another request.');
    }
    const connected = await connectListing(database, asked, { targets, now: clock.now() }).catch(rethrowAsHttpError);
    queued();
    response.set('cache-control', 'no-store').json(connected);
  });

  router.post(testPath, async (request, response) => {
    const [, key = ''] = /^Bearer (\S{1,200})$/.exec(request.get('authorization') ?? '') ?? [];
    await admission.count(request, 'send', null);
    const id = await listingIdOfKey(database, key);
    const listing = id === null ? null : await findListing(database, id);
    if (listing === null || listing.state === 'deleting') throw new HttpError(401, 'This is no API key.');
    const { ownerId } = listing;
    const owner = (await findMember(database, ownerId)) ?? { userId: ownerId, username: ownerId };
    const attempt = await testWebhook(dependencies, listing, 'vote', owner);
    queued();
    response.set('cache-control', 'no-store').json({ delivered: attempt !== null && attempt.error === null });
  });

  router.use(
    handleErrors({
      unexpected: new HttpError(500, 'Unexpected error. Please try again later.'),
      log,
      logMessage: 'a request to connect a bot failed',
      send: ({ message }, _request, response) => void response.json({ error: message }),
    }),
  );
  return router;
}

/** @throws HttpError 400 that names the first field, without what was sent */
function read<Body extends z.ZodObject>(body: Body, sent: unknown): z.infer<Body> {
  const parsed = body.safeParse(sent ?? {});
  if (parsed.success) return parsed.data;
  throw new HttpError(400, `${parsed.error.issues[0]?.path.join('.') || 'The body'} is missing or not valid.`);
}

function rethrowAsHttpError(thrown: unknown): never {
  if (thrown instanceof TallyhookError) throw new HttpError(400, thrown.message);
  throw thrown;
}
