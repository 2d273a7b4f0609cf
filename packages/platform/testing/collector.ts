import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { decodeSpans, type ReceivedSpan } from './otlp.ts';

/** A collector of traces on a free port, until the test has finished. */
export interface Collector {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** The headers of each request. */
  readonly headers: readonly IncomingHttpHeaders[];
  /** All bytes that were received. */
  readonly text: () => string;
}

export async function startCollector(): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const bodies: Buffer[] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request);
    if (request.url === '/v1/traces' && request.headers['content-type'] === 'application/x-protobuf') {
      bodies.push(body);
      headers.push(request.headers);
      spans.push(...decodeSpans(body));
    }
    response.setHeader('content-type', 'application/x-protobuf').end();
  };
  const server = createServer((request, response) => void receive(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, spans, headers, text: () => Buffer.concat(bodies).toString('latin1') };
}
