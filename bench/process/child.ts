import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo, Server } from 'node:net';
import { fileURLToPath } from 'node:url';

/** The messages between the benchmark and the processes under test. */
export interface ChildRequest {
  readonly id: number;
  readonly name: string;
  readonly detail: unknown;
}

export type ChildResponse =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string };

export interface Usage {
  /** User and system CPU time of all threads since the start of the process (µs). */
  readonly cpu: number;
  /** Resident memory (bytes). */
  readonly resident: number;
  /** What all threads have written to disks since the start of the process (bytes); NaN where that is not known. */
  readonly written: number;
}

/** Timeout for the end of a child process (ms). */
const patience = 5_000;

/** A child process, so that the code under test has its own event loop, heap and garbage collector. */
export interface Child {
  readonly pid: number;
  /** Sends a request to the child; rejects with the child's error. */
  ask<Result>(name: string, detail?: unknown): Promise<Result>;
  /** CPU time since the start, and current memory. */
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

export interface ChildOptions {
  /** Added to this process's environment variables. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Options of Node. */
  readonly nodeOptions?: readonly string[];
}

export async function startChild(
  module: URL,
  args: readonly string[] = [],
  { variables = {}, nodeOptions = [] }: ChildOptions = {},
): Promise<Child> {
  const path = fileURLToPath(module);
  const child = fork(path, [...args], {
    env: { ...process.env, ...variables },
    execArgv: [...nodeOptions],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  let last = 0;

  child.on('message', (message) => {
    const answer = message as ChildResponse;
    const found = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ('error' in answer) found?.reject(new Error(answer.error));
    else found?.resolve(answer.result);
  });
  child.on('exit', (code, signal) => {
    for (const { reject } of waiting.values()) reject(new Error(`${path} ended with ${signal ?? code}.`));
    waiting.clear();
  });

  function ask<Result>(name: string, detail?: unknown): Promise<Result> {
    last += 1;
    const request: ChildRequest = { id: last, name, detail };
    return new Promise<Result>((resolve, reject) => {
      waiting.set(request.id, { resolve: resolve as (result: unknown) => void, reject });
      child.send(request, (error) => error && reject(error));
    });
  }

  await ask('ready');
  return { pid: child.pid ?? 0, ask, usage: () => ask<Usage>('usage'), stop: () => ended(child) };
}

/** The options of Node with which `npm start` runs the program of a checkout. @param root its folder, with a slash */
export function readNodeOptions(root: URL): readonly string[] {
  const { scripts }: { scripts: { start: string } } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
}

/** Makes a server listen on a free loopback port and returns the port. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A child exits gracefully when its parent is gone, which leaves time to write a profile; a hanging child is killed. */
function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const kill = setTimeout(() => child.kill('SIGKILL'), patience);
    child.once('exit', () => {
      clearTimeout(kill);
      resolve();
    });
    child.disconnect();
  });
}
