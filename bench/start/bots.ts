import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { bundle } from '../../scripts/bundle.ts';
import { readNodeOptions } from '../process/node-options.ts';

/** The Discord that a bot connects to, and its port and directory. */
export interface Whereabouts {
  readonly token: string;
  readonly apiUrl: string;
  readonly guildId: string;
  readonly port: number;
  readonly directory: string;
}

/** How to run a bot: Node arguments and environment. */
export interface Bot {
  readonly title: string;
  /** Whether it serves `/readyz`. */
  readonly hasReadyz: boolean;
  args(where: Whereabouts): readonly string[];
  environment(where: Whereabouts): Readonly<Record<string, string>>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

export const idleBot: Bot = {
  title: 'discord.js bot that does nothing',
  hasReadyz: false,
  args: ({ token, apiUrl }) => [join(import.meta.dirname, 'idle-bot.js'), token, apiUrl],
  environment: () => ({}),
};

/** As it runs where there is no current bundle: TypeScript with type stripping. */
export const fromSource: Bot = tallyhook('tallyhook from source', [join(root, 'src', 'launch.js')]);

/** As `npm start` runs it in a clone. Prepares the bundle of the clone, as `npm ci` does. */
export async function inClone(): Promise<Bot> {
  await promisify(execFile)(process.execPath, [join(root, 'scripts/clone/prepare.js')]);
  const options = readNodeOptions(pathToFileURL(root));
  return tallyhook('npm start in a clone', [...options, join(root, 'scripts/clone/start.js')]);
}

/** As the container runs it: bundled, with a compile cache. Builds the bundle outside `dist/`. */
export async function built(directory: string): Promise<Bot> {
  const program = join(directory, 'program');
  await bundle(program);
  const launcher = join(program, 'launch.js');
  const env = { PATH: process.env['PATH'] ?? '' };
  await promisify(execFile)(process.execPath, [launcher, 'start', '--compile'], { env });
  return tallyhook('tallyhook, built', [launcher]);
}

function tallyhook(title: string, program: readonly string[]): Bot {
  return {
    title,
    hasReadyz: true,
    args: () => [...program, 'start'],
    environment: ({ token, apiUrl, guildId, port, directory }) => ({
      DISCORD_TOKEN: token,
      DISCORD_API_URL: apiUrl,
      DISCORD_GUILD_ID: guildId,
      LOOKUP_BASE_URL: 'http://127.0.0.1:9/api/v1',
      LOOKUP_SERVER_KEY: 'bench-key',
      VOTE_WEBHOOK_SECRET: 'bench-secret',
      DATABASE_URL: `sqlite:${join(directory, 'tallyhook.db')}`,
      CACHE_URL: `sqlite:${join(directory, 'cache.db')}`,
      PORT: String(port),
      LOG_LEVEL: 'error',
    }),
  };
}
