import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';

export type ResponseHandler = (response: ServerResponse, request: IncomingMessage) => void;

/** An HTTP server on a free port. It responds with the current handler and records its requests. */
export async function startFakeService() {
  const requests: { url: string; headers: IncomingHttpHeaders }[] = [];
  let handler: ResponseHandler = success({});
  const server = createServer((request, response) => {
    requests.push({ url: request.url ?? '', headers: request.headers });
    handler(response, request);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = z.object({ port: z.number() }).parse(server.address());
  const origin = `http://127.0.0.1:${port}`;

  return {
    origin,
    baseUrl: `${origin}/api/v1`,
    requests,
    respondWith(next: ResponseHandler) {
      handler = next;
    },
    /** Resolves when the number of received requests reaches `count`. */
    async received(count: number) {
      while (requests.length < count) await new Promise((resolve) => setTimeout(resolve, 1));
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): ResponseHandler {
  return (response) =>
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export function success(data: unknown, meta?: unknown): ResponseHandler {
  return json(200, { success: true, data, meta });
}

export function failure(status: number, error: string, headers: Record<string, string> = {}): ResponseHandler {
  return json(status, { success: false, error }, headers);
}

/** Delays every response until `release` is called. */
export function delayed(handler: ResponseHandler) {
  const pending: (() => void)[] = [];
  return {
    delayedHandler: ((response, request) => {
      pending.push(() => handler(response, request));
    }) satisfies ResponseHandler,
    release() {
      for (const respond of pending.splice(0)) respond();
    },
  };
}
