import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { ServiceOptions } from '../src/service.ts';

/**
 * Runs code in a child process with a `service` on this database and the system clock.
 * @returns the exit code or signal, and the standard output
 */
export async function runInOtherProcess(database: string, body: string): Promise<{ ended: unknown; output: string }> {
  const child = spawnService(database, body);
  const [[code, signal], output] = await Promise.all([once(child, 'exit'), text(child.stdout)]);
  return { ended: code ?? signal, output };
}

/** A child process that runs the service. */
export interface OtherProcess {
  readonly pid: number;
  /** Without a slash at the end. */
  readonly url: string;
  /** Ends in `/api/v1`. */
  readonly baseUrl: string;
  /** Ends the process with `kill -9`. */
  kill(): Promise<void>;
}

/** Starts the service on this database in a child process, which runs until it is killed. */
export async function startOtherProcess(database: string, options: OtherOptions = {}): Promise<OtherProcess> {
  const body = 'process.stdout.write(String(service.port)); await new Promise(() => {});';
  const child = spawnService(database, body, options);
  const exited = once(child, 'exit');
  const [port] = await Promise.race([
    once(child.stdout, 'data'),
    exited.then(() => Promise.reject(new Error('The process has ended.'))),
  ]);
  const url = `http://127.0.0.1:${port}`;
  return {
    pid: child.pid ?? 0,
    url,
    baseUrl: `${url}/api/v1`,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

type OtherOptions = Pick<ServiceOptions, 'publicUrl' | 'seed'>;

function spawnService(database: string, body: string, options: OtherOptions = {}) {
  const service = new URL('../src/service.ts', import.meta.url).href;
  const script = `
    const { startService } = await import(${JSON.stringify(service)});
    const { systemClock } = await import('@tallyhook/platform/clock');
    const { createLog } = await import('@tallyhook/platform/log');
    const service = await startService({ host: '127.0.0.1', port: 0, database: ${JSON.stringify(database)}, clock: systemClock,
      log: createLog({ level: 'silent', secrets: [] }), allowLoopbackTargets: true, seed: true,
      ...${JSON.stringify(options)} });
    ${body}`;
  return spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Locks the database for writing in a child process. @returns a function that releases the lock */
export async function lockInOtherProcess(database: string): Promise<() => Promise<void>> {
  const script = `
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(${JSON.stringify(database.replace(/^sqlite:/, ''))}, { timeout: 5000 });
    database.exec('BEGIN IMMEDIATE');
    console.log('locked');
    for await (const _ of process.stdin);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return async () => {
    child.stdin.end();
    await once(child, 'exit');
  };
}
