import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { createTypist } from '@tallyhook/platform/testing/typist';
import { expect, it, onTestFinished } from 'vitest';
import { botToken } from '../support/bot-token.ts';
import { launcher } from '../support/start-program.ts';

/** `script` of util-linux gives a program a terminal; that of other systems has other options, and some have none. */
const hasTerminal = spawnSync('script', ['-qefc', 'true', '/dev/null']).status === 0;

it.skipIf(!hasTerminal)(
  'tallyhook init hides a secret that is typed on a real terminal',
  { timeout: 120_000 },
  async () => {
    const directory = tempDir();
    const program = `'${process.execPath}' '${launcher}' init --offline`;
    const child = spawn('script', ['-qefc', program, '/dev/null'], {
      cwd: directory,
      env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm-256color', LANG: 'C.UTF-8' },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let output = '';
    const answers = [['Bot token', `${botToken}\r`]] as const;
    const typist = createTypist(answers, (keys) => child.stdin.write(keys));
    child.stdout.on('data', (data) => {
      output += String(data);
      typist.read(output);
    });
    expect(await new Promise((resolve) => child.on('exit', resolve)), output).toBe(0);
    expect(output).not.toContain(botToken);
    expect(parseEnv(readFileSync(join(directory, '.env'), 'utf8'))).toEqual({ DISCORD_TOKEN: botToken });
  },
);
