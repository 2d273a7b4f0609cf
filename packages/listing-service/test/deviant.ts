import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import type { Running } from '../testing/running.ts';

/** A response of the service, which a deviation may change. */
export interface ProxiedResponse {
  status: number;
  contentType: string;
  body: string;
}

export interface ProxiedRequest {
  /** Below the base path, with its query. */
  readonly url: URL;
  readonly key: string | null;
}

/** Changes a response. May fetch other responses from the service. */
export type Deviation = (
  response: ProxiedResponse,
  request: ProxiedRequest,
  fetchOther: (path: string) => Promise<ProxiedResponse>,
) => unknown;

/** Starts a proxy in front of the service that changes its responses. Returns its base URL. */
export async function startDeviatingProxy({ service }: Running, deviate: Deviation): Promise<string> {
  const server = createServer((request, outgoing) => {
    const key = request.headers['x-api-key']?.toString() ?? null;
    const headers = {
      ...(key === null ? {} : { 'X-API-Key': key }),
      ...conditionalHeaders(request.headers['if-none-match']),
    };
    const forward = (path: string) => fetch(service.url + path, { method: request.method ?? 'GET', headers });
    const fetchOther = async (path: string) => readResponse(await forward(path));
    void (async () => {
      const url = new URL(request.url ?? '', service.url);
      const upstream = await forward(request.url ?? '');
      const response = await readResponse(upstream);
      await deviate(response, { url, key: key ?? url.searchParams.get('key') }, fetchOther);
      for (const [name, value] of upstream.headers) {
        if (!['content-type', 'content-length', 'connection', 'transfer-encoding'].includes(name))
          outgoing.setHeader(name, value);
      }
      outgoing.writeHead(response.status, { 'Content-Type': response.contentType });
      outgoing.end(request.method === 'HEAD' || response.status === 304 ? undefined : response.body);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
}

/** A deviation that changes the body of successful responses whose path matches. */
export function changeBody(path: RegExp, change: (body: Body, request: ProxiedRequest) => void): Deviation {
  return (response, request) => {
    if (response.status !== 200 || !path.test(request.url.pathname) || response.body === '') return;
    const body = bodySchema.parse(JSON.parse(response.body));
    change(body, request);
    response.body = JSON.stringify(body);
  };
}

const record = z.record(z.string(), z.unknown());
const bodySchema = z.object({
  success: z.boolean(),
  data: z.union([z.array(record), record]),
  meta: z.object({ total: z.number(), shown: z.number() }).optional(),
});
export type Body = z.infer<typeof bodySchema>;

/** The data of a response, if it is an object. It may be changed. */
export function dataObject({ data }: Body): Record<string, unknown> {
  if (Array.isArray(data)) throw new Error('The data is a list.');
  return data;
}

/** The data of a response, if it is a list. It may be changed. */
export function dataList({ data }: Body): Record<string, unknown>[] {
  if (!Array.isArray(data)) throw new Error('The data is not a list.');
  return data;
}

function conditionalHeaders(tag: string | undefined): Record<string, string> {
  return tag === undefined ? {} : { 'If-None-Match': tag, 'Cache-Control': 'max-age=0' };
}

async function readResponse(upstream: Response): Promise<ProxiedResponse> {
  return {
    status: upstream.status,
    contentType: upstream.headers.get('content-type') ?? '',
    body: await upstream.text(),
  };
}
