import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { second } from '../durations.ts';

interface ErrorResponse {
  readonly status: string;
  readonly error: string;
}

/** By the codes of Node's HTTP parser. */
const responses: Readonly<Record<string, ErrorResponse>> = {
  HPE_HEADER_OVERFLOW: { status: '431 Request Header Fields Too Large', error: 'The headers are too large.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: '413 Content Too Large', error: 'The chunk extensions are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', error: 'The request was not completed in time.' },
};
const malformed: ErrorResponse = { status: '400 Bad Request', error: 'Malformed HTTP request.' };
const connectUnsupported: ErrorResponse = { status: '400 Bad Request', error: 'CONNECT is not supported.' };

/** How long a client may take to read the response before its connection is destroyed. */
const closeTimeoutMs = 1 * second;

/**
 * Responds to requests that Node's HTTP parser rejects before any route, in the same JSON format as every other error.
 * The response contains nothing from the request. A response in progress is completed first.
 */
export function handleClientErrors(server: Server): void {
  const latestResponses = new WeakMap<Duplex, ServerResponse>();
  server.on(
    'request',
    (request: IncomingMessage, response: ServerResponse) => void latestResponses.set(request.socket, response),
  );

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable) return void socket.destroy();
    const errorResponse = responses[error.code ?? ''] ?? malformed;
    const response = latestResponses.get(socket);
    if (response === undefined) send(socket, errorResponse);
    else if (response.req.complete) afterFinish(response, () => send(socket, errorResponse));
    else if (!response.headersSent) send(socket, errorResponse);
    // The request was answered before its end; a client would assign a second response to another request.
    else socket.destroy();
  });
  server.on('connect', (_request, socket) => send(socket, connectUnsupported));
}

/** A complete request gets its response, even if invalid bytes follow it. */
function afterFinish(response: ServerResponse, callback: () => void): void {
  if (response.writableFinished) callback();
  else response.once('finish', callback);
}

function send(socket: Duplex, { status, error }: ErrorResponse): void {
  const body = JSON.stringify({ success: false, error });
  const head = [
    `HTTP/1.1 ${status}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.on('error', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // If it were destroyed immediately, unread input would make the kernel reset the connection, and the response would
  // be lost.
  setTimeout(() => socket.destroy(), closeTimeoutMs).unref();
}
