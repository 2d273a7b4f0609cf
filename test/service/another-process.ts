import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/**
 * Runs a few lines with a `service` of their own on the database, by the real clock.
 * @returns the exit code or signal, and what was printed.
 */
export async function inAnotherProcess(database: string, lines: string): Promise<{ ended: unknown; output: string }> {
  const room = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
  const script = `
    const { startService } = await import(${room('service/service.ts')});
    const { systemClock } = await import(${room('clock.ts')});
    const { createLog } = await import(${room('log.ts')});
    const service = await startService({ host: '127.0.0.1', port: 0, database: ${JSON.stringify(database)}, clock: systemClock,
      log: createLog({ level: 'silent', secrets: [] }), allowLoopbackTargets: true, seed: true });
    ${lines}`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [[code, signal], output] = await Promise.all([once(child, 'exit'), text(child.stdout)]);
  return { ended: code ?? signal, output };
}

/** Holds the lock of all writers in another process, from when this resolves until the function that it returns is called. */
export async function lockedByAnotherProcess(database: string): Promise<() => Promise<void>> {
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
