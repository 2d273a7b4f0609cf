import { existsSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { freePort } from '@tallyhook/platform/testing/postgres';
import type { StartProcess } from './processes.ts';

const haproxy = '/usr/sbin/haproxy';

/** One address for the two servers of which one is the primary. */
export interface Switchover {
  readonly kind: 'haproxy' | 'node';
  readonly port: number;
  /** Called after the promotion. HAProxy finds out by itself. */
  moveToStandby(): void;
  stop(): Promise<void>;
}

export function isHaproxyInstalled(): boolean {
  return existsSync(haproxy);
}

/** The same settings as in docs/scaling.md. */
export async function startHaproxy(
  directory: string,
  servers: { readonly primary: number; readonly standby: number },
  startProcess: StartProcess,
): Promise<Switchover> {
  const port = await freePort();
  const file = join(directory, 'haproxy.cfg');
  writeFileSync(
    file,
    `defaults
  mode tcp
  timeout connect 1s
  timeout client 1h
  timeout server 1h
  timeout check 500ms
listen postgres
  bind 127.0.0.1:${port}
  option pgsql-check user tally
  default-server check inter 200ms fall 2 rise 1 on-marked-down shutdown-sessions
  server primary 127.0.0.1:${servers.primary}
  server standby 127.0.0.1:${servers.standby} backup
`,
  );
  const child = await startProcess('haproxy', [haproxy, '-db', '-f', file]);
  return { kind: 'haproxy', port, moveToStandby() {}, stop: child.stop };
}

/** Without HAProxy: a TCP proxy in this process. */
export async function startNodeProxy(servers: {
  readonly primary: number;
  readonly standby: number;
}): Promise<Switchover> {
  const proxy = await startTcpProxy(servers.primary, 0);
  return { kind: 'node', port: proxy.port, moveToStandby: () => proxy.setTarget(servers.standby), stop: proxy.stop };
}

export interface TcpProxy {
  readonly port: number;
  /** Closes all connections and opens new ones to another port. */
  setTarget(port: number): void;
  stop(): Promise<void>;
}

/** @param delayMs how much later everything arrives that goes to the client, which is half of a round trip and more */
export async function startTcpProxy(target: number, delayMs: number): Promise<TcpProxy> {
  let port = target;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    if (delayMs === 0) upstream.pipe(client);
    else upstream.on('data', (data) => setTimeout(() => client.write(data), delayMs));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    setTarget(next) {
      port = next;
      destroyAll();
    },
    async stop() {
      destroyAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
