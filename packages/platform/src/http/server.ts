import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { systemClock } from '../clock.ts';
import { second } from '../durations.ts';
import { TallyhookError } from '../errors.ts';
import { localUrl } from '../host-address.ts';
import { clientKeyOf, isTrustedProxy } from '../web/client-key.ts';
import { settleWithin } from '../with-timeout.ts';

/** Limits per connection and request (ms unless noted). A sender of webhooks gives up after 10 s. */
export type HttpLimits = Readonly<typeof defaultLimits>;

const defaultLimits = {
  /** From the start of the connection to the end of the request's headers. */
  headersTimeout: 10 * second,
  /** For the complete request. */
  requestTimeout: 15 * second,
  /** For an idle connection. */
  keepAliveTimeout: 65 * second,
  /** How often the timeouts are checked. */
  connectionsCheckingInterval: 1 * second,
  /** All headers of a request (bytes). */
  maxHeaderSize: 16 * 1024,
  /** Concurrent connections of all addresses; one address may have a part of them, see {@link maxConnectionsFrom}. */
  maxConnections: 2_000,
};
/**
 * A sender may half-close its connection after the request. By default Node would then close the other half before the
 * response: a vote would be stored and its sender would not know. `createServer` has no such option, so it is set as a
 * property.
 */
const halfOpen = { httpAllowHalfOpen: true };

/** For requests in progress when the server stops. */
const closeTimeoutMs = 3 * second;

export type HttpServer = ReturnType<typeof createHttpServer>;

/**
 * An HTTP server whose limits protect it against slow, idle, oversized and malformed requests. Listens once; after `close`
 * it cannot be reopened.
 */
export function createHttpServer(
  listener: RequestListener,
  options: Partial<HttpLimits> & {
    /** The class of request objects. */
    readonly IncomingMessage?: typeof IncomingMessage;
    /** Handles requests with an unknown Expect header (default: like any other request). */
    readonly unknownExpectation?: RequestListener;
    /** Called with what bytes seem to be that are no HTTP. */
    readonly onForeignBytes?: (protocol: ForeignProtocol) => void;
  } = {},
) {
  const { maxConnections, unknownExpectation, onForeignBytes = () => {}, ...limits } = { ...defaultLimits, ...options };
  let closing = false;
  let opening: Promise<unknown> = Promise.resolve();
  // No route needs the Host header, and Node's own error for a request without it does not have our JSON format.
  const server = Object.assign(createServer({ ...limits, requireHostHeader: false }), halfOpen);
  handleClientErrors(server, onForeignBytes);
  const handleRequest: RequestListener = (request, response) => {
    // A busy keep-alive connection would otherwise delay the close.
    if (closing) response.shouldKeepAlive = false;
    listener(request, response);
  };
  server.on('request', handleRequest);
  // An unknown Expect header is not a reason to reject a delivery.
  server.on('checkExpectation', unknownExpectation ?? handleRequest);
  server.maxConnections = maxConnections;
  limitConnections(server, maxConnections);
  // Idle connections make room for active ones.
  server.on('drop', () => server.closeIdleConnections());

  return {
    /**
     * Returns the address; `port` is the assigned one if 0 was requested. `url` is where this machine reaches the server.
     * @throws TallyhookError `cannot_listen`
     */
    async listen(host: string, port: number) {
      const listening = startListening(server, host, port);
      opening = listening.catch(() => {});
      await listening;
      const address = addressOf(server);
      if (closing) server.close();
      return address;
    },
    /**
     * Stops to accept requests, waits up to 3 s for those in progress, and closes. Also while the server starts to
     * listen.
     */
    async close(): Promise<void> {
      closing = true;
      // Listening may wait for a DNS lookup of the host.
      await settleWithin(closeTimeoutMs, systemClock, opening);
      if (!server.listening) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), closeTimeoutMs);
      await closed;
      clearTimeout(timer);
    },
  };
}

function addressOf(server: Server): { host: string; port: number; url: string } {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server does not listen on a TCP port.');
  const { address: host, port } = address;
  return { host, port, url: localUrl(host, port) };
}

const listenHints: Readonly<Record<string, string>> = {
  EADDRINUSE: 'Another program uses this port: stop it, or choose another port.',
  EACCES: 'Ports below 1024 require privileges: choose a higher one.',
  EADDRNOTAVAIL: 'Choose an address of this machine as the host.',
};

function startListening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    // Also handles later errors, which reject nothing: a connection that cannot be accepted must not end the process.
    server.on('error', (error: NodeJS.ErrnoException) => {
      const hint = listenHints[error.code ?? ''];
      reject(
        new TallyhookError('cannot_listen', `Cannot listen on ${host}:${port} (${error.code}).`, {
          cause: error,
          ...(hint && { hint }),
        }),
      );
    });
    server.listen(port, host, resolve);
  });
}

/**
 * How many connections one address may have: three quarters of all for an address of this machine or of a private
 * network, because behind a reverse proxy or a load balancer all connections come from one, and a quarter for any other.
 * The rest stays free for other addresses.
 */
export function maxConnectionsFrom(address: string, maxConnections: number): number {
  return Math.ceil((maxConnections * (isTrustedProxy(address) ? 3 : 1)) / 4);
}

/** Closes further connections of an address that has {@link maxConnectionsFrom}; idle ones make room for them. */
function limitConnections(server: Server, maxConnections: number): void {
  const counts = new Map<string, number>();

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress;
    // Without an address, the connection has ended already.
    if (address === undefined) return;
    const client = clientKeyOf(address);
    const count = (counts.get(client) ?? 0) + 1;
    if (count > maxConnectionsFrom(address, maxConnections)) {
      socket.destroy();
      server.closeIdleConnections();
      return;
    }
    counts.set(client, count);
    socket.once('close', () => {
      const left = (counts.get(client) ?? 1) - 1;
      if (left === 0) counts.delete(client);
      else counts.set(client, left);
    });
  });
}

/** The response to what is no request. */
interface ErrorResponse {
  readonly status: string;
  readonly error: string;
}

/** By the codes of Node's HTTP parser. */
const parserErrors: Readonly<Record<string, ErrorResponse>> = {
  HPE_HEADER_OVERFLOW: { status: '431 Request Header Fields Too Large', error: 'The headers are too large.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: '413 Content Too Large', error: 'The chunk extensions are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', error: 'The request was not completed in time.' },
};
const malformed: ErrorResponse = { status: '400 Bad Request', error: 'Malformed HTTP request.' };
const connectUnsupported: ErrorResponse = { status: '400 Bad Request', error: 'CONNECT is not supported.' };

/** A protocol other than HTTP/1 that is sent to the port by mistake. */
export type ForeignProtocol = 'PROXY' | 'TLS' | 'HTTP/2' | 'unknown';

/** By the first bytes: RFC 8446 5.1, RFC 9113 3.4, and haproxy.org/download/3.0/doc/proxy-protocol.txt. */
function protocolOf(bytes: Buffer): ForeignProtocol {
  const text = bytes.toString('latin1', 0, 16);
  if (text.startsWith('PROXY ') || text.startsWith('\r\n\r\n\0\r\nQUIT\n')) return 'PROXY';
  if (text.startsWith('\x16\x03')) return 'TLS';
  return text.startsWith('PRI * HTTP/2') ? 'HTTP/2' : 'unknown';
}

/** How long a client may take to read the response before its connection is destroyed. */
const rejectionTimeoutMs = 1 * second;

/**
 * Responds to requests that Node's HTTP parser rejects before any route, in the same JSON format as every other error.
 * The response contains nothing from the request. A response in progress is completed first.
 */
function handleClientErrors(server: Server, onForeignBytes: (protocol: ForeignProtocol) => void): void {
  const latestResponses = new WeakMap<Duplex, ServerResponse>();
  server.on(
    'request',
    (request: IncomingMessage, response: ServerResponse) => void latestResponses.set(request.socket, response),
  );

  server.on('clientError', (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket) => {
    const { code = '', rawPacket } = error;
    if (code.startsWith('HPE_') && !(code in parserErrors) && rawPacket !== undefined)
      onForeignBytes(protocolOf(rawPacket));
    if (!socket.writable) return void socket.destroy();
    const errorResponse = parserErrors[error.code ?? ''] ?? malformed;
    const response = latestResponses.get(socket);
    if (response === undefined) rejectRequest(socket, errorResponse);
    else if (response.req.complete) afterFinish(response, () => rejectRequest(socket, errorResponse));
    else if (!response.headersSent) rejectRequest(socket, errorResponse);
    // The request was answered before its end; a client would assign a second response to another request.
    else socket.destroy();
  });
  server.on('connect', (_request, socket) => rejectRequest(socket, connectUnsupported));
}

/** A complete request gets its response, even if invalid bytes follow it. */
function afterFinish(response: ServerResponse, callback: () => void): void {
  if (response.writableFinished) callback();
  else response.once('finish', callback);
}

function rejectRequest(socket: Duplex, { status, error }: ErrorResponse): void {
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
  setTimeout(() => socket.destroy(), rejectionTimeoutMs).unref();
}
