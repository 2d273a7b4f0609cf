import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { TallyhookError } from '../platform/errors.ts';
import { handleClientErrors } from './client-error.ts';

/** What a sender may cost. Times in ms; a sender of webhooks gives up after 10 s by itself. */
export interface HttpLimits {
  /** For the headers of a request, from the first moment of a connection on. */
  readonly headersTimeout: number;
  /** For a request, whole. */
  readonly requestTimeout: number;
  /** How long a connection may wait for its next request. */
  readonly keepAliveTimeout: number;
  /** How often the three are looked after. */
  readonly connectionsCheckingInterval: number;
  /** All headers of a request (bytes). */
  readonly maxHeaderSize: number;
  /** Connections at the same time. Each may hold its headers and one body in memory. */
  readonly maxConnections: number;
}

const usualLimits: HttpLimits = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16 * 1024,
  maxConnections: 2_000,
};

/**
 * A sender may close its half as soon as it has sent its request. Node would then close the other half too, before the response: a
 * vote would be stored and its sender would not learn it. Not an option of `createServer`, hence a property.
 */
const halfOpen = { httpAllowHalfOpen: true };

/** How long requests that are under way may take to finish when the server stops (ms). */
const grace = 3_000;

/** Listens once, and is closed for good. */
export interface HttpServer {
  /**
   * Starts to listen; returns the address, with the port that was taken where 0 was asked for.
   * @throws TallyhookError `cannot_listen`
   */
  listen(host: string, port: number): Promise<{ readonly host: string; readonly port: number; readonly url: string }>;
  /** Takes no more requests, gives those under way 3 s, and closes; also where it only begins to listen. */
  close(): Promise<void>;
}

/** An HTTP server whose limits keep slow, idle, oversized and broken senders from holding it up. */
export function createHttpServer(
  listener: RequestListener,
  changes: Partial<HttpLimits> & {
    /** What requests are made of. */
    readonly IncomingMessage?: typeof IncomingMessage;
  } = {},
): HttpServer {
  const { maxConnections, ...limits } = { ...usualLimits, ...changes };
  let closing = false;
  let opening: Promise<unknown> = Promise.resolve();
  // No route asks for the host, and Node's own refusal of a request without one has not the shape of ours.
  const server = Object.assign(createServer({ ...limits, requireHostHeader: false }), halfOpen);
  handleClientErrors(server);
  const listen: RequestListener = (request, response) => {
    // A sender that keeps its connection busy would otherwise hold up the end.
    if (closing) response.shouldKeepAlive = false;
    listener(request, response);
  };
  server.on('request', listen);
  // An expectation that nobody knows is no reason to refuse a delivery.
  server.on('checkExpectation', listen);
  server.maxConnections = maxConnections;
  // Connections that only wait make room for those that have something to say.
  server.on('drop', () => server.closeIdleConnections());

  return {
    async listen(host, port) {
      const opened = listening(server, host, port);
      opening = opened.catch(() => {});
      await opened;
      const address = server.address() as AddressInfo;
      // Before anybody can have connected.
      if (closing) server.close();
      const shown = address.family === 'IPv6' ? `[${address.address}]` : address.address;
      return { host: address.address, port: address.port, url: `http://${shown}:${address.port}` };
    },
    async close() {
      closing = true;
      // The host may have to be looked up first, and whoever answers that may be silent.
      await Promise.race([opening, wait(grace, undefined, { ref: false })]);
      if (!server.listening) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const cut = setTimeout(() => server.closeAllConnections(), grace);
      await closed;
      clearTimeout(cut);
    },
  };
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    // Also later ones, which then reject nothing any more: a connection that cannot be taken is no reason to end.
    server.on('error', (error: NodeJS.ErrnoException) => {
      const cures: Record<string, string> = {
        EADDRINUSE: 'Another program listens there already: stop it, or set PORT to another port.',
        EACCES: 'Ports below 1024 need privileges: set PORT to a higher one.',
        EADDRNOTAVAIL: 'Set HOST to an address of this machine.',
      };
      const cure = cures[error.code ?? ''];
      reject(
        new TallyhookError('cannot_listen', `Cannot listen on ${host}:${port} (${error.code}).`, {
          cause: error,
          ...(cure && { hint: cure }),
        }),
      );
    });
    server.listen(port, host, resolve);
  });
}
