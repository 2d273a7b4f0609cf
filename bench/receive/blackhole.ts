import { createServer, type Socket } from 'node:net';
import { listen } from '../process/listen.ts';

/** A server that accepts connections and never responds, like a hanging Discord. */
export async function startBlackhole(): Promise<{ url: string; stop(): void }> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
    socket.resume();
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    stop() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
