import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

interface Fault {
  readonly status: string;
  readonly error: string;
}

const faults: Readonly<Record<string, Fault>> = {
  HPE_HEADER_OVERFLOW: { status: '431 Request Header Fields Too Large', error: 'The headers are too large.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: '413 Content Too Large', error: 'The chunk extensions are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', error: 'The request did not arrive whole in time.' },
};
const malformed: Fault = { status: '400 Bad Request', error: 'This is no proper HTTP request.' };
const noProxy: Fault = { status: '400 Bad Request', error: 'This is no proxy.' };

/** How long a sender may take to read why it was refused before the connection is cut (ms). */
const linger = 1_000;

/**
 * Answers what is broken below any route, as Node's parser finds it, in the shape of every other refusal. It quotes nothing of what
 * came. An answer that is already under way is neither mixed with this one nor lost.
 */
export function handleClientErrors(server: Server): void {
  const latest = new WeakMap<Duplex, ServerResponse>();
  server.on(
    'request',
    (request: IncomingMessage, response: ServerResponse) => void latest.set(request.socket, response),
  );

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable) return void socket.destroy();
    const fault = faults[error.code ?? ''] ?? malformed;
    const response = latest.get(socket);
    if (response === undefined) refuse(socket, fault);
    else if (response.req.complete) afterwards(response, () => refuse(socket, fault));
    else if (!response.headersSent) refuse(socket, fault);
    // It was refused before it had come whole; a second answer would be taken for that of another request.
    else socket.destroy();
  });
  server.on('connect', (_request, socket) => refuse(socket, noProxy));
}

/** Once the answer is out: to a request that came whole it is owed, whatever came after it. */
function afterwards(response: ServerResponse, act: () => void): void {
  if (response.writableFinished) act();
  else response.once('finish', act);
}

function refuse(socket: Duplex, { status, error }: Fault): void {
  const body = JSON.stringify({ success: false, error });
  const head = [
    `HTTP/1.1 ${status}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.on('error', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // Cut at once, the rest of what was sent would make the kernel reset the connection, and the answer would be lost.
  setTimeout(() => socket.destroy(), linger).unref();
}
