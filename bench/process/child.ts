import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ChildRequest, ChildResponse, Usage } from './protocol.ts';

/** How long a child may take to end (ms). */
const patience = 5_000;

/** A process of its own, so that what is measured shares no event loop, heap or garbage collector with anything else. */
export interface Child {
  /** Asks one of the questions that the child answers; rejects with the child's error. */
  ask<Told>(name: string, detail?: unknown): Promise<Told>;
  /** What it has used of the CPU since it started, and of memory now. */
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

/** @param environment is added to this process's own. */
export async function startChild(
  module: URL,
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<Child> {
  const path = fileURLToPath(module);
  const child = fork(path, [...args], {
    env: { ...process.env, ...environment },
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  const asked = new Map<number, { resolve: (told: unknown) => void; reject: (error: Error) => void }>();
  let last = 0;

  child.on('message', (message) => {
    const answer = message as ChildResponse;
    const waiting = asked.get(answer.id);
    asked.delete(answer.id);
    if ('error' in answer) waiting?.reject(new Error(answer.error));
    else waiting?.resolve(answer.told);
  });
  child.on('exit', (code, signal) => {
    for (const { reject } of asked.values()) reject(new Error(`${path} ended with ${signal ?? code}.`));
    asked.clear();
  });

  function ask<Told>(name: string, detail?: unknown): Promise<Told> {
    last += 1;
    const question: ChildRequest = { id: last, name, detail };
    return new Promise<Told>((resolve, reject) => {
      asked.set(question.id, { resolve: resolve as (told: unknown) => void, reject });
      child.send(question, (error) => error && reject(error));
    });
  }

  await ask('ready');
  return { ask, usage: () => ask<Usage>('usage'), stop: () => ended(child) };
}

/** Without its parent a child goes away in good order, which leaves time to write a profile; one that hangs is killed. */
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
