import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { systemClock } from '@tallyhook/platform/clock';
import { messageOf, TallyhookError } from '@tallyhook/platform/errors';
import { InvalidConfigError } from '@tallyhook/platform/invalid-config-error';
import { createLog, type Log } from '@tallyhook/platform/log';
import { createRedactor, type Redactor } from '@tallyhook/platform/redactor';
import { installProcessErrorHandlers } from '@tallyhook/platform/terminal/process-errors';
import { resolveLogFormat } from '@tallyhook/platform/terminal/process-terminal';
import type { Run } from '@tallyhook/platform/terminal/program';
import { exitCode, type Terminal, UsageError, untilStopped } from '@tallyhook/platform/terminal/terminal';
import type { Environment } from '../../config/environment.ts';
import { isConfigured, loadConfig, settingsNeedingRestart, withRotatedSecrets } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import { dotEnvWarnings } from '../../config/warnings.ts';
import { createApp, loadProgram } from '../app/app.ts';
import type { SandboxArguments } from '../sandbox/cli.ts';

type StartOptions = SandboxArguments & { readonly compile?: boolean };

/** `tallyhook start`. @param readEnvironment the variables that a start at that moment would use */
export function createStart(readEnvironment: () => Environment): Run<StartOptions> {
  return async ({ compile, ...options }, terminal, args) => {
    if (compile) {
      await loadProgram();
      return exitCode.ok;
    }
    if (!isConfigured(process.env)) {
      const { runSandbox } = await import('../sandbox/cli.ts');
      const introduction =
        'DISCORD_TOKEN is not set: starting the sandbox, with a local Discord and a local listing service.';
      return runSandbox(options, terminal, args, introduction);
    }
    const [unused] = Object.keys(options).filter((name) => name !== 'open');
    if (unused !== undefined || !options.open) {
      throw new UsageError(`--${unused ?? 'no-open'} is an option of the sandbox, which runs without DISCORD_TOKEN.`);
    }
    return startBot(terminal, readEnvironment);
  };
}

async function startBot(terminal: Terminal, readEnvironment: () => Environment): Promise<number> {
  const config = loadConfig(process.env);
  const redact = createRedactor(config.secrets);
  const hangups = handleHangups();
  let exporter: Awaited<ReturnType<typeof startTraces>> = null;
  try {
    exporter = await startTraces(config);
    const log = createLog({
      level: config.logLevel,
      secrets: redact,
      format: resolveLogFormat(config.logFormat),
      ...(exporter && { fields: exporter.logFields }),
    });
    exporter?.reportTo(log);
    for (const { setting, problem, hint } of dotEnvWarnings()) log.warn({ hint }, `${setting} ${problem}`);
    installProcessErrorHandlers(log);
    // A database that does not respond must not delay the stop. At this point nothing is open that needs to be
    // closed.
    const app = await Promise.race([createApp.fromEnvironment(process.env, { log }), untilStopped(terminal.stop)]);
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
    await exporter?.stop();
  }
  return exitCode.ok;
}

async function startTraces({ tracing: options }: Config) {
  if (options === null) return null;
  const { startExporter } = await import('@tallyhook/platform/tracing/exporter').catch((cause: unknown) => {
    throw new TallyhookError('tracing_not_installed', 'The package @opentelemetry/api could not be loaded.', {
      hint: 'Install it beside tallyhook: npm install @opentelemetry/api',
      cause,
    });
  });
  return startExporter(options, systemClock);
}

/** Reloads the configuration and activates its secrets, all or none. Never throws: the log lists issues. */
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

/** Handles SIGHUP, whose default action ends the process, also if it arrived before the handler was set. */
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
