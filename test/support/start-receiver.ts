import { createHmac } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Clock } from '@tallyhook/platform/clock';
import { DirectRequest } from '@tallyhook/platform/http/body';
import { createLog } from '@tallyhook/platform/log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { serve } from '@tallyhook/platform/testing/serve';
import express, { type Express } from 'express';
import { onTestFinished } from 'vitest';
import { Intake, type ReceivingListings } from '../../src/core/receiving/intake.ts';
import type { ListingWithSecrets } from '../../src/core/receiving/listing.ts';
import { type Receiver, WebhookReceiver } from '../../src/core/receiving/receiver.ts';
import { openStore, type Store } from '../../src/features/store.ts';
import { serverAndBot, voteSecret } from './listings.ts';
import { newSqliteUrl } from './new-sqlite.ts';

export { serve };

export interface TestReceiver {
  readonly receiver: Receiver;
  readonly url: string;
  readonly store: Store;
  readonly lines: string[];
  /** Posts a payload (objects are serialised), signed with the vote secret unless the options differ. */
  post(
    path: string,
    payload: unknown,
    options?: PostOptions,
  ): Promise<{ status: number; json: Record<string, unknown>; headers: Headers }>;
}

export interface PostOptions {
  readonly secret?: string | null;
  readonly signature?: string;
  readonly headers?: Record<string, string>;
  readonly method?: string;
}

/** The ways to a receiver. `program`: before Express and with {@link DirectRequest}, like the program. */
export const interfaces = ['webhooks in Express', 'program', 'node', 'fetch'] as const;
export type Interface = (typeof interfaces)[number];

export interface TestReceiverOptions {
  readonly clock?: Clock;
  readonly listings?: ListingWithSecrets[];
  readonly before?: (app: Express) => void;
  readonly databaseUrl?: string;
  /** The interface that is used; Express by default. */
  readonly through?: Interface;
}

/** Starts the receiver on an Express server with a SQLite file. */
export async function startReceiver(options: TestReceiverOptions = {}): Promise<TestReceiver> {
  const clock = options.clock ?? manualClock();
  const lines: string[] = [];
  const log = createLog({ level: 'debug', secrets: [], destination: { write: (line) => void lines.push(line) } });
  const store = await openStore(options.databaseUrl ?? newSqliteUrl(), clock, {
    thread: false,
  });
  const intake = new Intake({ recorder: store.recorder, clock, log });
  const app = express();
  options.before?.(app);
  const receiver = new WebhookReceiver({
    intake,
    directory: directoryOf(options.listings ?? serverAndBot()),
    clock,
    log,
  });
  app.use(receiver.webhooks);
  const answerOrPass = async (...[request, response]: Parameters<RequestListener>) => {
    if (!(await receiver.node(request, response))) app(request, response);
  };
  const answerWith = getRequestListener(receiver.fetch);
  const listeners: Readonly<Record<Interface, RequestListener>> = {
    'webhooks in Express': app,
    program: receiver.withFallback(app),
    node: (request, response) => void answerOrPass(request, response),
    fetch: (request, response) => void answerWith(request, response),
  };
  const { through = 'webhooks in Express' } = options;
  const url = await serve(listeners[through], through === 'program' ? { IncomingMessage: DirectRequest } : {});
  onTestFinished(() => store.close());

  return {
    receiver,
    url,
    store,
    lines,
    async post(path, payload, { secret = voteSecret, signature, headers = {}, method = 'POST' } = {}) {
      const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
      const header = signature ?? (secret === null ? undefined : hmac(body, secret));
      const response = await fetch(url + path, {
        method,
        headers: { 'content-type': 'application/json', ...(header && { 'x-webhook-signature': header }), ...headers },
        ...(method === 'GET' || method === 'HEAD' ? {} : { body }),
      });
      const text = await response.text();
      return { status: response.status, json: text === '' ? {} : JSON.parse(text), headers: response.headers };
    },
  };
}

/** Also with an empty secret, with which `sign` does not sign. */
function hmac(body: string, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** Listings that do not change. */
export function directoryOf(listings: readonly ListingWithSecrets[]): ReceivingListings {
  return { listings, find: (name) => listings.find((listing) => listing.name === name) };
}
