import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { localUrl } from '@tallyhook/platform/host-address';
import { LocalDiscordError } from './errors.ts';
import type { Faults } from './faults.ts';
import type { Files, StoredFile } from './files.ts';
import type { Gateway } from './gateway.ts';

type Handle = (request: IncomingMessage, response: ServerResponse, path: string, query: URLSearchParams) => unknown;

interface ServerHandlers {
  readonly rest: Handle;
  readonly gateway: Gateway;
  readonly faults: Faults;
  readonly files: Files;
  /** By id of the guild, a member or the bot. */
  readonly pictures: ReadonlyMap<string, StoredFile>;
  /** The page on which OAuth2 asks a member. */
  readonly consent: (request: IncomingMessage, response: ServerResponse, query: URLSearchParams) => unknown;
  /** The pages of invites. Returns whether the path is one of theirs. */
  readonly invites: (...call: Parameters<Handle>) => boolean;
  readonly page: Handle | undefined;
}

/** Where Discord's CDN has pictures of guilds, users and members, by id. Their format and size are those that they have. */
const portrait = /^\/(?:icons|avatars|guilds\/\d+\/users)\/(\d{1,20})\//;

/** Image types that are displayed inline; other files are downloads. */
const inlineTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** One HTTP server for the REST API, the gateway, uploaded files and the page. @throws LocalDiscordError `cannot_listen` */
export async function listen(port: number, host: string) {
  const server = createServer();
  server.listen(port, host);
  await once(server, 'listening').catch((cause: unknown) => {
    throw new LocalDiscordError('cannot_listen', `The local Discord cannot listen on ${host}:${port}.`, {
      cause,
      hint: 'Another program may use this port: choose another --port.',
    });
  });
  const boundPort = (server.address() as AddressInfo).port;
  const origin = localUrl(host, boundPort);
  let closed: Promise<unknown> | undefined;
  // Requests before `serve` wait: an open page reconnects as soon as the port is open.
  const ready = Promise.withResolvers<RequestListener>();
  server.on('request', (request, response) => {
    ready.promise.then((handle) => handle(request, response)).catch(() => request.socket.destroy());
  });

  return {
    origin,
    gatewayUrl: `${origin.replace('http', 'ws')}/gateway`,
    serve({ rest, gateway, faults, files, pictures, consent, invites, page }: ServerHandlers): void {
      ready.resolve((request, response) => {
        const { pathname, searchParams } = new URL(request.url ?? '/', origin);
        // Discord accepts version 9, too, which differs in nothing that is supported here. OAuth2 has no version.
        const path = /^\/api(?:\/v(?:9|10)(\/.*)|(\/oauth2\/token.*))$/.exec(pathname)?.slice(1).join('');
        const file = /^\/attachments\/(.+)$/.exec(pathname)?.[1];
        const picture = portrait.exec(pathname)?.[1];
        if (/^\/api\/oauth2\/authorize$/.test(pathname)) consent(request, response, searchParams);
        else if (path !== undefined) rest(request, response, path, searchParams);
        else if (file !== undefined) sendFile(response, file, files.find(file));
        else if (picture !== undefined) sendFile(response, pathname, pictures.get(picture));
        else if (invites(request, response, pathname, searchParams)) return;
        else if (page !== undefined) page(request, response, pathname, searchParams);
        else sendFile(response, '', undefined);
      });
      server.on('upgrade', (request, socket, head) => {
        if (!URL.canParse(request.url ?? '/', origin)) {
          socket.destroy();
          return;
        }
        const { pathname, searchParams } = new URL(request.url ?? '/', origin);
        if (faults.isOutage() || !/^\/gateway\/?$/.test(pathname)) socket.destroy();
        else gateway.upgrade(request, socket, head, searchParams);
      });
    },
    async close(): Promise<void> {
      closed ??= new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function sendFile(response: ServerResponse, path: string, file: ReturnType<Files['find']>): void {
  if (file === undefined) {
    response.writeHead(404, { 'Content-Type': 'text/plain' }).end('Not found\n');
    return;
  }
  const isInline = inlineTypes.includes(file.contentType);
  response
    .writeHead(200, {
      'Content-Type': isInline ? file.contentType : 'application/octet-stream',
      'X-Content-Type-Options': 'nosniff',
      // Opened as a page of its own, a file may neither load nor run anything.
      'Content-Security-Policy': "default-src 'none'; sandbox",
      // The names of stored files contain letters, digits, dots, hyphens and underscores only.
      'Content-Disposition': `${isInline ? 'inline' : 'attachment'}; filename="${path.split('/').at(-1)}"`,
    })
    .end(file.bytes);
}
