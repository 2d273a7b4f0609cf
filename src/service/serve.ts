import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { handleClientErrors } from '../http/client-error.ts';

/**
 * A server that answers every failure below the routes in the failure envelope (document, section 7), which Node alone would answer with an
 * empty body: what is not HTTP, headers that are too large, a missing host, and an unknown expectation.
 */
export function createServiceServer(): Server {
  const server = createServer({ requireHostHeader: false });
  // A client may close its half after the request and wait for the response; Node would close the other half as well.
  Object.assign(server, { httpAllowHalfOpen: true });
  handleClientErrors(server);
  server.on('checkExpectation', (_request, response) => {
    fail(response, 417, 'The only expectation that is met is 100-continue.');
  });
  return server;
}

/** The listener, for requests that have a host: HTTP/1.1 requires one (RFC 9112, section 3.2). */
export function withHost(listener: RequestListener): RequestListener {
  return (request, response) => {
    if (request.headers.host === undefined && request.httpVersion === '1.1') {
      fail(response, 400, 'The header Host is missing.');
    } else {
      listener(request, response);
    }
  };
}

function fail(response: ServerResponse, status: number, error: string): void {
  const body = JSON.stringify({ success: false, error });
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  });
  response.end(body);
}
