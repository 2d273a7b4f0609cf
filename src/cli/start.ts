import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { systemClock } from '@tallyhook/platform/clock';
import { messageOf } from '@tallyhook/platform/errors';
import { InvalidConfigError } from '@tallyhook/platform/invalid-config-error';
import { createLog, type Log } from '@tallyhook/platform/log';
import { createRedactor, type Redactor } from '@tallyhook/platform/redactor';
import { type CliCommand, command } from '@tallyhook/platform/terminal/command';
import { installProcessErrorHandlers } from '@tallyhook/platform/terminal/process-errors';
import { resolveLogFormat } from '@tallyhook/platform/terminal/process-terminal';
import { exitCode, type Terminal, untilStopped } from '@tallyhook/platform/terminal/terminal';
import { loadTracing } from '@tallyhook/platform/tracing/load-tracing';
import type { Environment } from '../../config/environment.ts';
import { isConfigured, loadConfig, settingsNeedingRestart, withRotatedSecrets } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import { dotEnvWarnings } from '../../config/warnings.ts';
import { createApp, loadProgram } from '../app/app.ts';

const help = `tallyhook start: receive webhooks and run the bot until it is stopped

Usage
  tallyhook [start]

Options
  --compile  load the program, so that Node keeps it compiled beside the code, and exit: for an image, whose containers
             then start sooner
  --help     print this help

Settings are environment variables; .env.example lists them all. Without DISCORD_TOKEN it runs the sandbox instead,
unless NODE_ENV is production.

SIGHUP reloads .env, the files of NAME_FILE and the file of TALLYHOOK_CONFIG, and activates their webhook secrets and
API keys. Other changes need a restart. If the new settings are invalid, the old ones stay active and the log lists
the issues.

SIGINT or SIGTERM stops it within 10 seconds; a second signal exits at once.

Exit codes: 0 stopped by a signal, 1 runtime error, or exit after a second signal, 2 invalid usage or settings.`;

/** `tallyhook start`. `readEnvironment` returns the variables that a start at that moment would use. */
export async function startCommand(
  args: readonly string[],
  terminal: Terminal,
  readEnvironment: () => Environment,
): Promise<number> {
  return isConfigured(process.env) || args.includes('--compile')
    ? startBotCommand(readEnvironment)(args, terminal)
    : startSandboxCommand(args, terminal);
}

async function startSandboxCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const { createSandboxCommand } = await import('../sandbox/cli.ts');
  if (args.some((arg) => arg === '--help' || arg === '-h')) {
    terminal.print(`${help}\n\nWithout DISCORD_TOKEN it has these options:\n`);
  }
  const sandboxCommand = createSandboxCommand(
    'DISCORD_TOKEN is not set: starting the sandbox, with a local Discord and a local listing service.',
  );
  return sandboxCommand(args, terminal);
}

function startBotCommand(readEnvironment: () => Environment): CliCommand {
  return command({
    help,
    options: { compile: { type: 'boolean', default: false } },
    async run({ values }, terminal) {
      if (values.compile) {
        await loadProgram();
        return exitCode.ok;
      }
      const config = loadConfig(process.env);
      const redact = createRedactor(config.secrets);
      const hangups = handleHangups();
      let traces: Awaited<ReturnType<typeof startTraces>> = null;
      try {
        traces = await startTraces(config);
        const log = createLog({
          level: config.logLevel,
          secrets: redact,
          format: resolveLogFormat(config.logFormat),
          ...(traces && { fields: traces.exporter.logFields }),
        });
        traces?.exporter.reportTo(log);
        for (const { setting, problem, hint } of dotEnvWarnings()) log.warn({ hint }, `${setting} ${problem}`);
        installProcessErrorHandlers(log);
        // A database that does not respond must not delay the stop. At this point nothing is open that needs to be
        // closed.
        const app = await Promise.race([
          createApp.fromEnvironment(process.env, { log, ...(traces && { tracing: traces.tracing }) }),
          untilStopped(terminal.stop),
        ]);
        if (app === undefined) return exitCode.ok;
        try {
          const load = () => loadConfig(readEnvironment());
          hangups.setHandler(createReload({ config, load, reloadSecrets: app.reloadSecrets, redact, log }));
          limitWasmOptimization();
          await app.start();
          // At the exit it would be too late for a process that is killed.
          flushCompileCache();
          await untilStopped(terminal.stop);
        } finally {
          await app.stop();
        }
      } finally {
        hangups.dispose();
        await traces?.exporter.stop();
      }
      return exitCode.ok;
    },
  });
}

/** Loads OpenTelemetry and starts to send spans, if a collector is configured. */
async function startTraces({ tracing: options }: Config) {
  if (options === null) return null;
  const tracing = await loadTracing(); // First: it says what to install.
  const { startExporter } = await import('@tallyhook/platform/tracing/exporter');
  return { exporter: startExporter(options, systemClock), tracing };
}

/**
 * Returns a function that reloads the configuration and activates its webhook secrets and API keys, all or none. If the
 * configuration is invalid, nothing changes and the log lists the issues. The function never throws.
 */
function createReload(options: {
  config: Config;
  /** Reads the current configuration. @throws InvalidConfigError */
  load: () => Config;
  /** Activates the secrets. If it throws, it must have changed nothing. */
  reloadSecrets: (config: Config) => void;
  redact: Redactor;
  log: Log;
}): () => void {
  const { load, reloadSecrets, redact, log } = options;
  let active = options.config;

  return () => {
    try {
      const loaded = load();
      redact.add(loaded.secrets);
      const next = withRotatedSecrets(active, loaded);
      reloadSecrets(next);
      active = next;
      log.info('configuration reloaded; new secrets active');
      const settings = settingsNeedingRestart(next, loaded);
      if (settings.length > 0) log.warn({ settings }, 'other changed settings take effect after a restart');
    } catch (error) {
      const fields = error instanceof InvalidConfigError ? { issues: error.issues } : { reason: messageOf(error) };
      log.error(fields, 'configuration reload failed; the previous settings stay active');
    }
  };
}

/**
 * Listens for SIGHUP, whose default action would end the process, even during a migration or a graceful shutdown. A
 * signal that arrives before the handler is set is handled as soon as it is.
 */
function handleHangups() {
  let isPending = false;
  let handler = () => {
    isPending = true;
  };
  const listener = () => handler();
  process.on('SIGHUP', listener);
  return {
    setHandler(reload: () => void): void {
      handler = reload;
      if (isPending) reload();
    },
    dispose: () => void process.off('SIGHUP', listener),
  };
}

/**
 * The HTTP parser of undici is WebAssembly, which V8 would compile again with optimizations after a few responses. That
 * permanently takes 15 MB and has no measurable benefit, so only function 0, an import, may be optimized. It is set
 * after all modules are loaded, because Node ignores its compile cache under other V8 flags.
 */
function limitWasmOptimization(): void {
  setFlagsFromString('--wasm-tier-up-filter=0');
}
