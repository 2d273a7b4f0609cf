import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A door in front of the service: everything that is asked of it goes through, until the door is shut. */
export interface Relay {
  /** Where it is reached, without a slash at the end. */
  readonly url: string;
  /** What comes in goes to this port of the same host from now on. */
  setTarget(port: number): void;
  /** Shut, it resets every connection, those that are open too. */
  setDown(isDown: boolean): void;
  stop(): Promise<void>;
}

/** @param port 0 takes a free one. */
export async function startRelay(host: string, port: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  let target: number | null = null;
  let isDown = false;

  // Each half of a connection is closed on its own: a client may close its half after the request and wait for the response.
  const server = createServer({ allowHalfOpen: true }, (incoming) => {
    incoming.on('error', () => incoming.destroy());
    if (isDown || target === null) {
      incoming.resetAndDestroy();
      return;
    }
    const outgoing = connect({ port: target, host, allowHalfOpen: true });
    for (const [socket, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        // Not at once: what it was passed may still have to be sent.
        other.destroySoon();
      });
      socket.pipe(other);
    }
  });
  server.listen(port, host);
  await once(server, 'listening');

  function resetConnections(): void {
    for (const socket of sockets) socket.resetAndDestroy();
  }

  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    setTarget(to) {
      target = to;
    },
    setDown(shut) {
      isDown = shut;
      if (shut) resetConnections();
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      resetConnections();
      await closed;
    },
  };
}
