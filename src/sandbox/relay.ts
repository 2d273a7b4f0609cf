import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { localUrl } from '@tallyhook/platform/host-address';

/** A TCP proxy in front of the service that can simulate an unreachable host. @param port 0 selects a free one */
export async function startRelay(host: string, port: number) {
  const sockets = new Set<Socket>();
  let target: number | null = null;
  let isDown = false;

  // A client may close its half of the connection after the request and wait for the response.
  const server = createServer({ allowHalfOpen: true }, (incoming) => {
    incoming.on('error', () => incoming.destroy());
    if (isDown || target === null) {
      incoming.resetAndDestroy();
      return;
    }
    const outgoing = connect({ port: target, host, allowHalfOpen: true });
    for (const [socket, peer] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => peer.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        // Buffered data must still be sent.
        peer.destroySoon();
      });
      socket.pipe(peer);
    }
  });
  server.listen(port, host);
  await once(server, 'listening');

  function resetConnections(): void {
    for (const socket of sockets) socket.resetAndDestroy();
  }

  return {
    /** Its base URL, without a trailing slash. */
    url: localUrl(host, (server.address() as AddressInfo).port),
    /** Forwards new connections to this port of the same host. */
    setTarget(targetPort: number) {
      target = targetPort;
    },
    /** While down, it resets every new and open connection. */
    setDown(down: boolean) {
      isDown = down;
      if (down) resetConnections();
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      resetConnections();
      await closed;
    },
  };
}
