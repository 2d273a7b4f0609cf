import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '@tallyhook/platform/testing/postgres';
import { type LocalDiscord, startLocalDiscord } from 'local-discord';
import { bundle } from '../../scripts/bundle.ts';
import { readNodeOptions } from '../process/child.ts';
import { atMost, type Benchmark, figure, median } from '../report.ts';

const method = `Time from the start of the process until the local Discord has a gateway session and, for tallyhook, \`/readyz\` is
200; then resident memory after two idle seconds, from \`ps\`. The idle bot is discord.js with a login. tallyhook runs as in
the container, a bundle with Node's compile cache, and as \`npm start\` runs it in a clone, where \`npm ci\` has made the
bundle. With an empty compile cache it takes 1.4 to 1.55 times as long as the idle bot, which has no cache.`;

/** How to run a bot. */
interface Bot {
  readonly title: string;
  readonly args: readonly string[];
  /** Whether it serves `/readyz`. */
  readonly hasReadyz: boolean;
}

/** The result of one start. */
interface StartResult {
  /** From the start of the process to the gateway session and, if it serves `/readyz`, to readiness (ms). */
  readonly ready: number;
  /** Resident memory after the idle time (MB). */
  readonly resident: number;
}

const root = new URL('../..', import.meta.url);
const idleMs = 2_000;

/** Time to ready and memory. */
export const start: Benchmark = {
  name: 'start',
  method,
  async measure({ quick, directory }, logProgress) {
    const discord = await startLocalDiscord({ rateLimits: false });
    try {
      logProgress('building');
      const idle = { title: 'discord.js bot that does nothing', hasReadyz: false };
      const idleBot: Bot = { ...idle, args: [join(import.meta.dirname, 'idle-bot.js'), discord.token, discord.apiUrl] };
      const ours = [await built(directory), await inClone()];
      const starts = new Map<Bot, StartResult[]>([idleBot, ...ours].map((bot) => [bot, []]));
      for (let round = 1; round <= (quick ? 3 : 7); round += 1) {
        for (const [bot, started] of starts) {
          started.push(await startOnce(bot, discord, mkdtempSync(join(directory, 'bot-'))));
          logProgress(`round ${round}: ${bot.title} ready after ${figure(started.at(-1)?.ready ?? Number.NaN)} ms`);
        }
      }
      const of = (bot: Bot, name: keyof StartResult) => median((starts.get(bot) ?? []).map((each) => each[name]));
      const ratio = (bot: Bot, name: keyof StartResult) => of(bot, name) / of(idleBot, name);
      return {
        goals: [
          ...ours.map((bot) =>
            atMost('time to ready, of a bot that does nothing', 1.5, ratio(bot, 'ready'), bot.title),
          ),
          ...ours.map((bot) =>
            atMost('resident memory, of a bot that does nothing', 1.4, ratio(bot, 'resident'), bot.title),
          ),
        ],
        tables: [
          {
            caption: 'From the start of the process; memory two seconds after it is ready.',
            columns: ['', 'ready, ms', 'resident, MB'],
            rows: [...starts.keys()].map((bot) => [bot.title, figure(of(bot, 'ready')), figure(of(bot, 'resident'))]),
          },
        ],
        notes: [],
      };
    } finally {
      await discord.stop();
    }
  },
};

/** As `npm start` runs it in a clone. Prepares the bundle of the clone, as `npm ci` does. */
async function inClone(): Promise<Bot> {
  await promisify(execFile)(process.execPath, [fileURLToPath(new URL('scripts/clone/prepare.js', root))]);
  const program = fileURLToPath(new URL('scripts/clone/start.js', root));
  return { title: 'npm start in a clone', hasReadyz: true, args: [...readNodeOptions(root), program, 'start'] };
}

/** As the container runs it: bundled, with a compile cache. Builds the bundle outside the clone. */
async function built(directory: string): Promise<Bot> {
  // Without it, Node parses each file to find out that it is a module.
  copyFileSync(new URL('package.json', root), join(directory, 'package.json'));
  const program = join(directory, 'dist', 'program');
  await bundle(program);
  const launcher = join(program, 'launch.js');
  const env = { PATH: process.env['PATH'] ?? '' };
  await promisify(execFile)(process.execPath, [launcher, 'start', '--compile'], { env });
  return { title: 'tallyhook, built', hasReadyz: true, args: [launcher, 'start'] };
}

/** Starts a bot, waits until it is ready and idle, and stops it. */
async function startOnce({ args, hasReadyz }: Bot, discord: LocalDiscord, directory: string): Promise<StartResult> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: directory,
    env: {
      PATH: process.env['PATH'] ?? '',
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.apiUrl,
      DISCORD_GUILD_ID: discord.guildId,
      LOOKUP_BASE_URL: 'http://127.0.0.1:9/api/v1',
      LOOKUP_SERVER_KEY: 'bench-key',
      VOTE_WEBHOOK_SECRET: 'bench-secret',
      DATABASE_URL: `sqlite:${join(directory, 'tallyhook.db')}`,
      CACHE_URL: `sqlite:${join(directory, 'cache.db')}`,
      PORT: String(port),
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  try {
    while (!discord.connected) await Promise.race([once(discord.events, 'change'), endOf(child)]);
    while (hasReadyz && !(await isReady(port))) await pause(5);
    const ready = performance.now() - startedAt;
    await pause(idleMs);
    return { ready, resident: residentOf(child) };
  } finally {
    child.kill('SIGKILL');
    while (discord.connected) await once(discord.events, 'change');
  }
}

async function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function endOf(child: ChildProcess): Promise<never> {
  await once(child, 'exit');
  throw new Error(`The bot ended before it was ready: ${child.spawnargs.join(' ')}`);
}

/** From `ps` (MB), because the idle bot cannot report it. NaN if `ps` is missing. */
function residentOf({ pid }: ChildProcess): number {
  try {
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1_024;
  } catch {
    return Number.NaN;
  }
}
