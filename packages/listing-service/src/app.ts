import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { HealthHandler } from '@tallyhook/platform/http/health';
import express from 'express';
import { createLookupApi, type LookupApiDependencies } from './api/lookup-api.ts';
import { apiBasePath, openApiRouter } from './api/openapi.ts';
import { connectEndpoints } from './connect/endpoints.ts';
import type { PageDependencies } from './pages/page-routes.ts';
import { pagesRouter } from './pages/router.ts';

export interface ServiceAppDependencies extends PageDependencies, LookupApiDependencies {
  /** The number of reverse proxies whose entries in `X-Forwarded-For` are trusted. */
  readonly trustProxy: number;
  readonly health: HealthHandler;
}

/** The handler of all requests: the API below its base path, the OpenAPI document, health and the pages. */
export function createServiceApp(dependencies: ServiceAppDependencies): RequestListener {
  const { log, origin, health } = dependencies;
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', dependencies.trustProxy);
  app.use(health);
  app.use(openApiRouter(origin + apiBasePath, log));
  app.use(connectEndpoints(dependencies));
  app.use(pagesRouter(dependencies));
  const api = createLookupApi(dependencies);
  return (request, response) => {
    if (!api(request, response)) app(request, response);
  };
}

/* Errors of the protocol are in the failure envelope too (document, section 7). */

/** Responds to an Expect header other than `100-continue`. */
export function rejectExpectation(_request: IncomingMessage, response: ServerResponse): void {
  sendFailure(response, 417, 'Unsupported Expect header: only 100-continue is supported.');
}

/** Wraps a listener so that HTTP/1.1 requests without a Host header get 400 (RFC 9112, section 3.2). */
export function requireHost(listener: RequestListener): RequestListener {
  return (request, response) => {
    if (request.headers.host === undefined && request.httpVersion === '1.1') {
      sendFailure(response, 400, 'The Host header is missing.');
    } else {
      listener(request, response);
    }
  };
}

function sendFailure(response: ServerResponse, status: number, error: string): void {
  const body = JSON.stringify({ success: false, error });
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  });
  response.end(body);
}
