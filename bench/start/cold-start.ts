import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { LocalDiscord } from 'local-discord';
import type { Bot, Whereabouts } from './bots.ts';

/** The result of one start. */
export interface StartResult {
  /** From the start of the process to the gateway session and, if it serves `/readyz`, to readiness (ms). */
  readonly ready: number;
  /** Resident memory after the idle time (MB). */
  readonly resident: number;
}

const settling = 2_000;

/** Starts a bot, waits until it is ready and idle, and stops it. */
export async function startOnce(bot: Bot, discord: LocalDiscord, where: Whereabouts): Promise<StartResult> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, bot.args(where), {
    cwd: where.directory,
    env: { PATH: process.env['PATH'] ?? '', ...bot.environment(where) },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  try {
    while (!discord.connected) await Promise.race([once(discord.events, 'change'), endOf(child)]);
    if (bot.hasReadyz) await waitUntilAnswering(`http://127.0.0.1:${where.port}/readyz`);
    const ready = performance.now() - startedAt;
    await pause(settling);
    return { ready, resident: residentOf(child) };
  } finally {
    child.kill('SIGKILL');
    while (discord.connected) await once(discord.events, 'change');
  }
}

/** Resolves when the address responds with 2xx. */
export async function waitUntilAnswering(url: string): Promise<void> {
  for (;;) {
    const isThere = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isThere) return;
    await pause(5);
  }
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
