import type { Clock } from '@tallyhook/platform/clock';
import { parseJson } from '@tallyhook/platform/json';
import express, { type RequestHandler, type Response, Router } from 'express';
import { z } from 'zod';
import { authenticate, rejectByHeaders } from '../../webhook/sites/authenticate.ts';
import { isOldSignature, oldSignature } from '../../webhook/sites/read-delivery.ts';
import type { ReadHeader } from '../../webhook/sites/scheme.ts';
import type { Site } from '../../webhook/sites/site.ts';
import { topgg, topggSignature } from '../../webhook/sites/topgg.ts';
import type { TopggConnect } from './topgg-connect.ts';

/** Where top.gg says what its owners connect: the address to enter at the integration there. */
export const topggConnectPath = '/connect/topgg';

const maxBodyBytes = 16 * 1024;

/** Without the token of its older webhooks. */
const integration: Site = { ...topgg, schemes: [topggSignature] };

const discordId = z.string().regex(/^\d{17,20}$/);
const connectionId = z.string().regex(/^[\x21-\x7e]{1,100}$/);
const created = z.object({
  type: z.literal('integration.create'),
  data: z.object({
    connection_id: connectionId,
    webhook_secret: z.string().regex(/^[\x21-\x7e]{8,200}$/),
    project: z.object({ type: z.enum(['bot', 'server']), platform: z.literal('discord'), platform_id: discordId }),
    user: z.object({ platform_id: discordId }),
  }),
});
const deleted = z.object({
  type: z.literal('integration.delete'),
  data: z.object({ connection_id: connectionId }),
});
const handshake = z.discriminatedUnion('type', [created, deleted]);

/** `POST /connect/topgg`, signed by top.gg with the secret of the integration. */
export function createTopggRoutes(options: {
  readonly connect: Pick<TopggConnect, 'connect' | 'disconnect'>;
  readonly secret: string;
  /** The address of the webhook of a listing. */
  readonly addressOf: (listing: string) => string;
  readonly clock: Pick<Clock, 'now'>;
}): RequestHandler {
  const { connect, secret, addressOf, clock } = options;
  const credentials = { secrets: [secret] };
  const router = Router();

  // Before the body is read.
  const requireHeader: RequestHandler = (request, response, next) => {
    const rejection = rejectByHeaders(integration, headerReader(request.headers), credentials, clock.now());
    if (rejection === null) next();
    else reject(response, 401, rejection.error);
  };
  const readBody = express.raw({ type: () => true, limit: maxBodyBytes, inflate: false });

  router.post(topggConnectPath, requireHeader, readBody, async (request, response) => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const now = clock.now();
    const sender = authenticate(integration, { readHeader: headerReader(request.headers), body }, credentials, now);
    if ('error' in sender) return reject(response, 401, mismatch);
    if (isOldSignature(sender.signedAt, now)) return reject(response, 401, `Not accepted: ${oldSignature}.`);
    const parsed = handshake.safeParse(parseJson(sender.content));
    if (!parsed.success)
      return reject(response, 400, 'This is no integration.create or integration.delete of Discord.');
    const { type, data } = parsed.data;
    if (type === 'integration.delete') {
      await connect.disconnect(data.connection_id);
      response.json({ success: true });
      return;
    }
    const listing = await connect.connect({
      connectionId: data.connection_id,
      secret: data.webhook_secret,
      kind: data.project.type,
      targetId: data.project.platform_id,
      userId: data.user.platform_id,
    });
    response.json({ webhook_url: addressOf(listing), routes: [topgg.setup.event] });
  });
  return router;
}

const mismatch = 'The signature does not match. Compare TOPGG_INTEGRATION_SECRET with the secret of the integration.';

function reject(response: Response, status: number, error: string): void {
  response.status(status).json({ success: false, error });
}

function headerReader(headers: NodeJS.Dict<string | string[]>): ReadHeader {
  return (name) => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
}
