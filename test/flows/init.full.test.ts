import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { botToken } from '../support/bot-token.ts';
import { launcher } from '../support/start-program.ts';
import { tempDir } from '../support/temp-dir.ts';

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
      env: { PATH: process.env['PATH'] ?? '', TERM: 'dumb' },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let output = '';
    let read = 0;
    child.stdout.on('data', (data) => {
      output += String(data);
      const line = output.slice(read).split('\n').at(-1) ?? '';
      if (!/(: |\[(Y\/n|y\/N)\] )$/.test(line)) return;
      read = output.length;
      const answers: Record<string, string> = { 'Bot token': botToken, 'Base URL': 'https://list.example' };
      const question = Object.keys(answers).find((each) => line.startsWith(each)) ?? '';
      child.stdin.write(`${answers[question] ?? ''}\r`);
    });
    expect(await new Promise((resolve) => child.on('exit', resolve)), output).toBe(0);
    expect(output).not.toContain(botToken);
    expect(parseEnv(readFileSync(join(directory, '.env'), 'utf8'))).toEqual({
      DISCORD_TOKEN: botToken,
      LOOKUP_BASE_URL: 'https://list.example/api/v1',
    });
  },
);
