import { setFlagsFromString } from 'node:v8';
import { isConfigured, loadConfig } from '../../config/load.ts';
import type { Environment } from '../../config/read-values.ts';
import { createApp } from '../app/app.ts';
import { systemClock } from '../platform/clock.ts';
import { createLog } from '../platform/log.ts';
import { createRedactor } from '../platform/redactor.ts';
import { resolveLogFormat } from '../terminal/log-format.ts';
import { parseOptions } from '../terminal/parse-options.ts';
import { installProcessErrorHandlers } from '../terminal/process-errors.ts';
import { exitCode, type Terminal, untilStopped } from '../terminal/terminal.ts';
import { withConfig } from '../terminal/with-config.ts';
import { createReload } from './reload.ts';

const help = `tallyhook start: receives webhooks and runs the bot until it is stopped

Its settings are environment variables; .env.example names them all. Without DISCORD_TOKEN it runs the sandbox instead,
unless NODE_ENV is production.

On SIGHUP it reads .env, the files of NAME_FILE and the one of TALLYHOOK_CONFIG anew and takes over their webhook secrets
and API keys. Faulty ones are told in the log and change nothing.`;

/** `tallyhook start`: runs until the terminal says stop. `environment` is what a start at that moment would see. */
export async function startCommand(
  args: readonly string[],
  terminal: Terminal,
  environment: () => Environment,
): Promise<number> {
  if (!isConfigured(process.env)) {
    const { sandboxCommand } = await import('../sandbox/cli.ts');
    if (args.some((word) => word === '--help' || word === '-h')) {
      terminal.print(`${help}\n\nWithout DISCORD_TOKEN these are its options:\n`);
    } else {
      terminal.print(
        'DISCORD_TOKEN is not set, so this is the sandbox: a Discord and a listing service on this machine.',
      );
    }
    return sandboxCommand(args, terminal);
  }
  const { values } = parseOptions({
    args: [...args],
    options: { help: { type: 'boolean', short: 'h', default: false } },
  });
  if (values.help) {
    terminal.print(help);
    return exitCode.ok;
  }
  return withConfig(terminal, async (config) => {
    const redact = createRedactor(config.secrets);
    const log = createLog({ level: config.logLevel, secrets: redact, format: resolveLogFormat(config.logFormat) });
    installProcessErrorHandlers(log);
    const hangUps = hearHangUps();
    try {
      // A database that does not answer must not hold up the end; nothing is open yet that would need to be closed.
      const app = await Promise.race([createApp(config, { clock: systemClock, log }), untilStopped(terminal.stop)]);
      if (app === undefined) return exitCode.ok;
      try {
        const read = () => loadConfig(environment());
        hangUps.answerWith(createReload({ config, read, takeOver: app.reloadSecrets, redact, log }));
        keepParserSmall();
        await app.start();
        await untilStopped(terminal.stop);
      } finally {
        await app.stop();
      }
    } finally {
      hangUps.hearNoMore();
    }
    return exitCode.ok;
  });
}

/**
 * Hears SIGHUP, which would end a process that does not: a migration in its midst, or what is being finished. One that comes before
 * there is anything to answer it is answered then.
 */
function hearHangUps() {
  let isWaiting = false;
  let answer = () => {
    isWaiting = true;
  };
  const hear = () => answer();
  process.on('SIGHUP', hear);
  return {
    answerWith(reload: () => void): void {
      answer = reload;
      if (isWaiting) reload();
    },
    hearNoMore: () => void process.off('SIGHUP', hear),
  };
}

/**
 * What parses the answers of Discord and of the service is WebAssembly. After a few answers V8 would compile it once more, optimized: that
 * takes 15 MB, which never come back, and saves nothing that can be measured. So only function 0 may be optimized, which is not its own
 * but an import. Not before the program is loaded: with other flags Node does not use what it holds compiled.
 */
function keepParserSmall(): void {
  setFlagsFromString('--wasm-tier-up-filter=0');
}
