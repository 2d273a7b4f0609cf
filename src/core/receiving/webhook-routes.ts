import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * A function of Express 4 and 5, Connect, Polka and other frameworks: answers webhooks and passes on what is none.
 * @category Webhooks
 */
export type WebhookMiddleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * The webhook routes (`/webhooks`, `/webhooks/vote`, `/webhooks/premium` and `/webhooks/<listing>`) for a server of yours,
 * with the same responses over each interface. Before the start and after the stop, deliveries get 503.
 *
 * The raw body is read from the request. If a parser has read it before, `rawBody` or the parsed `body` of the request is
 * used; a parsed body is accepted only if the service has signed what `JSON.stringify` writes. So mount them before
 * `express.json()` if you can.
 * @category Webhooks
 */
export interface WebhookRoutes {
  /** For `app.use` of Express 4 and 5, also under a path. Other requests are passed on. */
  readonly webhooks: WebhookMiddleware;
  /**
   * For the `Request` of web standards: Hono, Next.js, Bun, Deno. The address is the end of the path, so the routes may be
   * under any prefix: `/webhooks/vote` and `/api/tally/webhooks/vote` are the same. Any other path gets 404.
   * @throws TallyhookError `invalid_options` for what is no `Request`
   * @example
   * ```ts
   * import { createReceiver } from 'tallyhook/receiver';
   *
   * const receiver = await createReceiver({
   *   listings: [{ name: 'my-server', kind: 'server', voteSecrets: ['secret of the vote webhook'] }],
   *   database: 'votes.db',
   * });
   * await receiver.start({ listen: false });
   * export const POST = receiver.fetch; // the route app/webhooks/vote of Next.js
   * ```
   */
  readonly fetch: (request: Request) => Promise<Response>;
  /**
   * For a server of `node:http`, and frameworks that have its requests: resolves to true when it has answered, and to false
   * if the path, without any prefix, is none of the routes; then the request is untouched.
   * @example
   * ```ts
   * import { createServer } from 'node:http';
   * import { createReceiver } from 'tallyhook/receiver';
   *
   * const receiver = await createReceiver({
   *   listings: [{ name: 'my-server', kind: 'server', voteSecrets: ['secret of the vote webhook'] }],
   *   database: 'votes.db',
   * });
   * await receiver.start({ listen: false });
   * createServer(async (request, response) => {
   *   if (!(await receiver.node(request, response))) response.end('another page');
   * }).listen(3000);
   * ```
   */
  readonly node: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;
}
