import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** Makes a server listen on a free loopback port and returns the port. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A port that is currently free, for a program that cannot choose one itself. */
export async function unusedPort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  server.close();
  await once(server, 'close');
  return port;
}
