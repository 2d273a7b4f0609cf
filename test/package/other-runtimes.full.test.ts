import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const program = fileURLToPath(new URL('../support/receive-anywhere.ts', import.meta.url));

/** Bun and Deno have 100 MB each, so they are not among the packages of a clone: tested where they are installed. */
const runtimes = {
  node: [process.execPath],
  bun: ['bun'],
  deno: ['deno', 'run', '--allow-all', '--node-modules-dir=manual'],
};

function isInstalled([command = '']: readonly string[]): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

for (const [name, [command = '', ...args]] of Object.entries(runtimes)) {
  it.skipIf(!isInstalled([command]))(`a receiver runs on ${name}`, () => {
    const output = execFileSync(command, [...args, program], { encoding: 'utf8', timeout: 50_000 });
    expect(JSON.parse(output.trim().split('\n').at(-1) ?? '')).toEqual({
      outcomes: ['200 recorded', '200 duplicate', '200 duplicate'],
      call: '42 +10',
      credits: 10,
    });
  });
}
