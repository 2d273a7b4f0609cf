import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { clientKeyOf, isTrustedProxy } from '../web/client-key.ts';

/**
 * How many connections one address may have: three quarters of all for an address of this machine or of a private
 * network, because behind a reverse proxy or a load balancer all connections come from one, and a quarter for any other.
 * The rest stays free for other addresses.
 */
export function maxConnectionsFrom(address: string, maxConnections: number): number {
  return Math.ceil((maxConnections * (isTrustedProxy(address) ? 3 : 1)) / 4);
}

/** Closes further connections of an address that has {@link maxConnectionsFrom}; idle ones make room for them. */
export function limitConnections(server: Server, maxConnections: number): void {
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
