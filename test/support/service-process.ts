import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { onTestFinished } from 'vitest';
import { type Program, startProgram } from './start-program.ts';

/** A listing service in a process of its own. */
export interface ServiceProcess extends Program {
  /** Of its pages. */
  readonly serviceUrl: string;
  readonly operationsUrl: string;
  /** The keys of the example community; undefined if it existed. */
  readonly keys: { readonly server: string; readonly bot: string } | undefined;
}

/** Starts `tallyhook service` with the example community and a port for operations. */
export async function startServiceProcess(database: string, ...options: string[]): Promise<ServiceProcess> {
  const ports = ['--port', '0', '--operations-port', '0'];
  const args = ['service', '--json', '--seed', '--log-level', 'silent', '--database', database, ...ports, ...options];
  const program = startProgram(args, {}, tempDir());
  while (!program.output().includes('\n')) {
    const ended = program.process.exitCode !== null;
    if (ended) throw new Error(`The service does not start:\n${program.output()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const { url, operationsUrl, seeded } = JSON.parse(program.output().split('\n')[0] ?? '');
  const keys = seeded && { server: seeded.server.key, bot: seeded.bot.key };
  return { ...program, serviceUrl: url, operationsUrl, keys: keys ?? undefined };
}

/**
 * A load balancer for requests without a body: it sends each to one of the processes that were ready at the last check,
 * in turn, and never repeats a request.
 */
export async function startBalancer(checkMs: number) {
  const targets = new Map<ServiceProcess, boolean>();
  let turn = 0;
  const check = async () => {
    await Promise.all(
      [...targets.keys()].map(async (target) => {
        const ready = await fetch(`${target.serviceUrl}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        );
        if (targets.has(target)) targets.set(target, ready);
      }),
    );
  };
  const timer = setInterval(() => void check(), checkMs);
  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const ready = [...targets].filter(([, isReady]) => isReady).map(([target]) => target);
    turn += 1;
    const target = ready[turn % ready.length];
    if (target === undefined) return void response.writeHead(502).end();
    const { cookie, 'x-api-key': key, 'content-type': type } = request.headers;
    const headers = Object.entries({ cookie, 'x-api-key': String(key ?? ''), 'content-type': type });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    try {
      const answer = await fetch(target.serviceUrl + request.url, {
        method: request.method ?? 'GET',
        redirect: 'manual',
        headers: headers.filter((header): header is [string, string] => header[1] !== undefined && header[1] !== ''),
        ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
      });
      response.writeHead(answer.status, { location: answer.headers.get('location') ?? '' }).end(await answer.text());
    } catch (error) {
      response.writeHead(502).end(String(error));
    }
  }
  const server = createServer((request, response) => void forward(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    clearInterval(timer);
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async add(target: ServiceProcess) {
      targets.set(target, false);
      await check();
    },
    remove: (target: ServiceProcess) => void targets.delete(target),
  };
}
