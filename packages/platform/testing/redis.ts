import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { isHidden } from './optional-programs.ts';
import { tempDir } from './temp-dir.ts';

/** Whether Redis is installed. */
export const isRedisInstalled = !isHidden('redis') && spawnSync('redis-server', ['--version']).status === 0;

/** Starts Redis on the loopback interface. It stores nothing in the directory unless it gets the command `SAVE`. */
export async function startRedis(port: number, directory = tempDir()): Promise<{ stop(): Promise<void> }> {
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', directory];
  const server = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'ignore'] });
  for await (const line of server.stdout) if (String(line).includes('Ready to accept')) break;
  return {
    async stop() {
      server.kill();
      if (server.exitCode === null) await once(server, 'exit');
    },
  };
}
