import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ChildRequest, ChildResponse, Usage } from './protocol.ts';

/** Timeout for the end of a child process (ms). */
const patience = 5_000;

/** A child process, so that the code under test has its own event loop, heap and garbage collector. */
export interface Child {
  readonly pid: number;
  /** Sends a request to the child; rejects with the child's error. */
  ask<Told>(name: string, detail?: unknown): Promise<Told>;
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
  const asked = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  let last = 0;

  child.on('message', (message) => {
    const answer = message as ChildResponse;
    const waiting = asked.get(answer.id);
    asked.delete(answer.id);
    if ('error' in answer) waiting?.reject(new Error(answer.error));
    else waiting?.resolve(answer.result);
  });
  child.on('exit', (code, signal) => {
    for (const { reject } of asked.values()) reject(new Error(`${path} ended with ${signal ?? code}.`));
    asked.clear();
  });

  function ask<Told>(name: string, detail?: unknown): Promise<Told> {
    last += 1;
    const question: ChildRequest = { id: last, name, detail };
    return new Promise<Told>((resolve, reject) => {
      asked.set(question.id, { resolve: resolve as (result: unknown) => void, reject });
      child.send(question, (error) => error && reject(error));
    });
  }

  await ask('ready');
  return { pid: child.pid ?? 0, ask, usage: () => ask<Usage>('usage'), stop: () => ended(child) };
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
