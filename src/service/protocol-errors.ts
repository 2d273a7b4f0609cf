import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

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
