import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Answering = (response: ServerResponse, request: IncomingMessage) => void;

/** A real HTTP server on a free port that answers as it is told and remembers what it was asked. */
export async function pretendService() {
  const asked: { url: string; headers: IncomingHttpHeaders }[] = [];
  let answering: Answering = success({});
  const server = createServer((request, response) => {
    asked.push({ url: request.url ?? '', headers: request.headers });
    answering(response, request);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    origin,
    baseUrl: `${origin}/api/v1`,
    asked,
    answer(next: Answering) {
      answering = next;
    },
    /** Resolves when that many requests have arrived. */
    async arrived(count: number) {
      while (asked.length < count) await new Promise((resolve) => setTimeout(resolve, 1));
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answering {
  return (response) =>
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export function success(data: unknown, meta?: unknown): Answering {
  return json(200, { success: true, data, meta });
}

export function failure(status: number, error: string, headers: Record<string, string> = {}): Answering {
  return json(status, { success: false, error }, headers);
}

/** Holds every answer back until it is released. */
export function held(answering: Answering) {
  const waiting: (() => void)[] = [];
  return {
    answering: ((response, request) => {
      waiting.push(() => answering(response, request));
    }) satisfies Answering,
    release() {
      for (const go of waiting.splice(0)) go();
    },
  };
}
