import { join } from 'node:path';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { captive } from 'listing-service/testing/terminal';
import { expect, it } from 'vitest';
import { init } from '../../src/cli/init/init-command.ts';
import { runCommandLine } from '../../src/main.ts';
import { botToken } from '../support/bot-token.ts';

/** A terminal of this width. */
function terminalOf(columns: number) {
  const { terminal, output } = captive();
  return { terminal: { ...terminal, output: Object.assign(terminal.output, { columns }) }, output };
}

async function linesOf(args: readonly string[], columns: number): Promise<readonly string[]> {
  const { terminal, output } = terminalOf(columns);
  await runCommandLine(args, terminal);
  return output().split('\n');
}

/** All commands and their parts, with the values of some arguments. */
async function allCommands(): Promise<readonly string[][]> {
  const below = async (...words: readonly string[]) => {
    const offered = await linesOf(['complete', '--', ...words, ''], 80);
    return offered.filter((name) => /^[a-z]/.test(name) && name !== 'help').map((name) => [...words, name]);
  };
  const commands = await below();
  return [[], ...commands, ...(await Promise.all(commands.map((words) => below(...words)))).flat()];
}

it('the help of every command is within 80 columns, and within those of a narrower terminal but for long words', async () => {
  const commands = await allCommands();
  expect(commands.length).toBeGreaterThan(30);
  for (const command of commands) {
    const wide = await linesOf([...command, '--help'], 200);
    expect(wide.filter((line) => line.length > 80)).toEqual([]);
    const words = wide.flatMap((line) => line.split(/\s+/));
    for (const columns of [60, 50]) {
      const narrow = await linesOf([...command, '--help'], columns);
      expect(narrow.flatMap((line) => line.split(/\s+/)).filter((word) => !words.includes(word))).toEqual([]);
      expect(narrow.filter((line) => line.length > columns && !/^(Usage:| {2}-| *\S+$)/.test(line))).toEqual([]);
    }
  }
});

it('init says everything in lines of the terminal, without broken words', async () => {
  const file = join(tempDir(), '.env');
  const set = [`DISCORD_TOKEN=${botToken}`, 'LOOKUP_SERVER_KEY=key', 'PUBLIC_URL=https://votes.example.com'];
  const said = async (columns: number) => {
    const { terminal, output } = terminalOf(columns);
    expect(await init({ file: `${file}${columns}`, set, yes: true, offline: true }, terminal)).toBe(0);
    return output().split('\n');
  };
  const narrow = await said(40);
  expect(narrow.filter((line) => line.length > 40 && line.trim().includes(' '))).toEqual([]);
  expect(narrow.join('\n')).toMatch(/\n {2}1\. .* checks the( whole)?\n {5}(whole )?installation\n/);
});
