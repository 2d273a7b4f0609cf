import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const source = fileURLToPath(new URL('./latency-proxy.c', import.meta.url));

/** A TCP proxy in its own process, on a free port of 127.0.0.1. */
export interface LatencyProxy {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Compiles the proxy and returns the path of the program; null without a compiler or not on Linux. */
export async function compileLatencyProxy(directory: string): Promise<string | null> {
  if (process.platform !== 'linux') return null;
  const program = join(directory, 'latency-proxy');
  try {
    await promisify(execFile)('cc', ['-O2', '-o', program, source]);
    return program;
  } catch {
    return null;
  }
}

/**
 * Starts the compiled proxy to a port of 127.0.0.1. It ends with this process, however that ends.
 * @param roundTripMs the latency that it adds, half of it in each direction
 */
export async function startLatencyProxy(program: string, port: number, roundTripMs: number): Promise<LatencyProxy> {
  const delayMicroseconds = Math.round((roundTripMs * 1_000) / 2);
  const child = spawn(program, [String(port), String(delayMicroseconds)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const line: Buffer | null = await Promise.race([
    once(child.stdout, 'data').then(([data]: Buffer[]) => data ?? null),
    ended.then(() => null),
  ]);
  if (line === null || child.pid === undefined) throw new Error('The latency proxy did not start.');
  return {
    port: Number(line.toString()),
    pid: child.pid,
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
