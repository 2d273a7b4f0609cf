import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

const modules = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);

/** Runs statements in a process with the handlers, after which it would end with code 0. */
function run(statements: string) {
  const script = `
    import { createLog } from ${modules('log.ts')};
    import { installProcessErrorHandlers } from ${modules('terminal/process-errors.ts')};
    installProcessErrorHandlers(createLog({ level: 'info', secrets: [] }));
    ${statements}
    setTimeout(() => console.log('{"msg":"still runs"}'), 10);`;
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  const lines = stdout.trim().split('\n');
  // The log writes when it can, so the order may differ.
  return { status, messages: lines.map((line) => (JSON.parse(line) as { msg: string }).msg).toSorted() };
}

it('an uncaught exception is logged, and ends the process with code 1', () => {
  const thrown = run('setImmediate(() => undefined.length);');
  expect(thrown).toEqual({ status: 1, messages: ['uncaught exception'] });
});

it('an error of a connection and a rejection are logged, and do not end the process', () => {
  expect(run("setImmediate(() => { throw Object.assign(new Error('reset'), { code: 'ECONNRESET' }); });")).toEqual({
    status: 0,
    messages: ['error on an abandoned connection', 'still runs'],
  });
  expect(run("Promise.reject(Object.assign(new Error('no such file'), { code: 'ENOENT' }));")).toEqual({
    status: 0,
    messages: ['still runs', 'unhandled rejection'],
  });
});
