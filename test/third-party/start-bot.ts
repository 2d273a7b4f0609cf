import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LocalDiscord } from 'local-discord';

const installed = fileURLToPath(new URL('../../node_modules', import.meta.url));

export interface StartedBot {
  readonly printed: () => string;
  stop(): Promise<void>;
}

/** A copy of a bot in a folder of its own, as a user has it: with its packages and its config.json. */
export function installBot(
  source: URL,
  discord: LocalDiscord,
): { run(program: string): Promise<string>; start(): Promise<StartedBot> } {
  const folder = mkdtempSync(join(tmpdir(), 'tallyhook-bot-'));
  cpSync(fileURLToPath(source), folder, { recursive: true });
  symlinkSync(installed, join(folder, 'node_modules'));
  const { token, applicationId: clientId, guildId } = discord;
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ token, clientId, guildId }));
  const launch = (program: string) =>
    spawn(process.execPath, [program], {
      cwd: folder,
      env: { ...process.env, ...discord.botEnvironment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  return {
    async run(program) {
      const child = launch(program);
      const [output] = await Promise.all([outputOf(child), once(child, 'exit')]);
      return output;
    },
    async start() {
      const child = launch('index.js');
      const exited = once(child, 'exit');
      let printed = '';
      child.stdout.on('data', (data) => (printed += String(data)));
      await once(child.stdout, 'data');
      return {
        printed: () => printed,
        async stop() {
          child.kill();
          await exited;
          rmSync(folder, { recursive: true });
        },
      };
    },
  };
}

async function outputOf({ stdout }: ChildProcess): Promise<string> {
  return (await stdout?.toArray())?.join('') ?? '';
}
