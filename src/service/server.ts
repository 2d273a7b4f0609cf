import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { handleClientErrors } from '../http/client-error.ts';
import { minute } from '../platform/durations.ts';

/**
 * An HTTP server that sends protocol errors in the failure envelope (document, section 7) instead of with Node's empty
 * body: malformed requests, headers that are too large, a missing Host header, and an unsupported Expect header.
 */
export function createServiceServer(): Server {
  const server = createServer({ requireHostHeader: false, requestTimeout: 1 * minute });
  // A client may half-close the connection after the request. By default Node would then close it without a response.
  Object.assign(server, { httpAllowHalfOpen: true });
  handleClientErrors(server);
  server.on('checkExpectation', (_request, response) => {
    sendFailure(response, 417, 'Unsupported Expect header: only 100-continue is supported.');
  });
  return server;
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
