import { parseArgs } from 'node:util';
import { isConfigured, loadConfig } from '../config/load.ts';
import { type Config, FaultyConfig } from '../config/schema.ts';
import { createApp } from './app.ts';
import { systemClock } from './clock.ts';
import { createLog } from './log.ts';
import { surviveStrayErrors } from './stray-errors.ts';
import { exit, type Terminal } from './terminal.ts';

const help = `tallyhook start: receives webhooks and runs the bot until it is stopped

Its settings are environment variables; .env.example names them all. Without DISCORD_TOKEN it runs the sandbox instead,
unless NODE_ENV is production.`;

/** `tallyhook start`: runs until the terminal says stop. */
export async function start(args: readonly string[], terminal: Terminal): Promise<number> {
  if (!isConfigured(process.env)) {
    const { sandboxCommand } = await import('./sandbox/cli.ts');
    terminal.print(
      'DISCORD_TOKEN is not set, so this is the sandbox: a Discord and a listing service on this machine.',
    );
    return sandboxCommand(args, terminal);
  }
  const { values } = parseArgs({ args: [...args], options: { help: { type: 'boolean', short: 'h', default: false } } });
  if (values.help) {
    terminal.print(help);
    return exit.fine;
  }
  return withConfig(terminal, async (config) => {
    const log = createLog({ level: config.logLevel, secrets: config.secrets });
    surviveStrayErrors(log);
    // A database that does not answer must not hold up the end; nothing is open yet that would need to be closed.
    const app = await Promise.race([createApp(config, { clock: systemClock, log }), stopped(terminal.stop)]);
    if (app === undefined) return exit.fine;
    try {
      await app.start();
      await stopped(terminal.stop);
    } finally {
      await app.stop();
    }
    return exit.fine;
  });
}

/** Runs with the configuration of the environment, or says what is wrong with it. */
export async function withConfig(terminal: Terminal, run: (config: Config) => Promise<number>): Promise<number> {
  try {
    return await run(loadConfig(process.env));
  } catch (error) {
    if (!(error instanceof FaultyConfig)) throw error;
    terminal.complain(error.message);
    return exit.usage;
  }
}

/** Resolves when the process is asked to stop. */
export function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
