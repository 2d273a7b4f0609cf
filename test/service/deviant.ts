import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import type { Running } from './running.ts';

/** What the service answered, on its way through. */
export interface Passing {
  status: number;
  contentType: string;
  body: string;
}

export interface Asked {
  /** Below the base path, with its query. */
  readonly url: URL;
  readonly key: string | null;
}

/** Changes one thing in the answer; may ask the service behind it for another one. */
export type Deviation = (passing: Passing, asked: Asked, again: (path: string) => Promise<Passing>) => unknown;

/** A proxy in front of the service that is right in everything but one deviation. Returns its base URL. */
export async function deviant({ service }: Running, deviate: Deviation): Promise<string> {
  const server = createServer((request, response) => {
    const key = request.headers['x-api-key']?.toString() ?? null;
    const headers = { ...(key === null ? {} : { 'X-API-Key': key }), ...conditions(request.headers['if-none-match']) };
    const forward = (path: string) => fetch(service.url + path, { method: request.method ?? 'GET', headers });
    const again = async (path: string) => passingOf(await forward(path));
    void (async () => {
      const url = new URL(request.url ?? '', service.url);
      const answer = await forward(request.url ?? '');
      const passing = await passingOf(answer);
      await deviate(passing, { url, key: key ?? url.searchParams.get('key') }, again);
      for (const [name, value] of answer.headers) {
        if (!['content-type', 'content-length', 'connection', 'transfer-encoding'].includes(name))
          response.setHeader(name, value);
      }
      response.writeHead(passing.status, { 'Content-Type': passing.contentType });
      response.end(request.method === 'HEAD' || passing.status === 304 ? undefined : passing.body);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
}

/** Changes the body of a successful answer whose path matches. */
export function changing(path: RegExp, change: (body: Body, asked: Asked) => void): Deviation {
  return (passing, asked) => {
    if (passing.status !== 200 || !path.test(asked.url.pathname) || passing.body === '') return;
    const body = bodySchema.parse(JSON.parse(passing.body));
    change(body, asked);
    passing.body = JSON.stringify(body);
  };
}

const record = z.record(z.string(), z.unknown());
const bodySchema = z.object({
  success: z.boolean(),
  data: z.union([z.array(record), record]),
  meta: z.object({ total: z.number(), shown: z.number() }).optional(),
});
export type Body = z.infer<typeof bodySchema>;

/** The data of an answer about one thing, to be changed. */
export function fields({ data }: Body): Record<string, unknown> {
  if (Array.isArray(data)) throw new Error('This is a list.');
  return data;
}

/** The data of an answer that is a list, to be changed. */
export function items({ data }: Body): Record<string, unknown>[] {
  if (!Array.isArray(data)) throw new Error('This is no list.');
  return data;
}

function conditions(tag: string | undefined): Record<string, string> {
  return tag === undefined ? {} : { 'If-None-Match': tag, 'Cache-Control': 'max-age=0' };
}

async function passingOf(answer: Response): Promise<Passing> {
  return {
    status: answer.status,
    contentType: answer.headers.get('content-type') ?? '',
    body: await answer.text(),
  };
}
