import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { TallyhookError } from '@tallyhook/platform/errors';
import { createLog } from '@tallyhook/platform/log';
import { installProcessErrorHandlers } from '@tallyhook/platform/terminal/process-errors';
import { resolveLogFormat } from '@tallyhook/platform/terminal/process-terminal';
import { exitCode, programName, type Terminal, UsageError, untilStopped } from '@tallyhook/platform/terminal/terminal';
import type { Environment } from '../../config/environment.ts';
import { loadHttpAddress, loadLogFormat } from '../../config/load.ts';
import { noteSandboxAccess } from './access.ts';
import { deleteState } from './data-directory.ts';
import type { StartOver } from './page/ports.ts';
import { consolePath } from './page/sandbox-page.ts';
import { maxSpeed, type Sandbox, type SandboxOptions, startSandbox } from './sandbox.ts';

const host = '127.0.0.1';

/** The options of the sandbox on the command line. */
export interface SandboxArguments {
  readonly port?: string;
  readonly open?: boolean;
  readonly speed?: string;
  readonly seed?: string;
  readonly data?: string;
  readonly fresh?: boolean;
  readonly unlinked?: boolean;
  readonly json?: boolean;
}

/**
 * `tallyhook sandbox`: runs until the terminal is stopped.
 * @param introduction is printed as soon as the arguments are known to be valid
 */
export async function runSandbox(
  options: SandboxArguments,
  terminal: Terminal,
  _args: readonly string[] = [],
  introduction?: string,
): Promise<number> {
  const { data = join('data', 'sandbox') } = options;
  const port = options.port === undefined ? null : parsePort(options.port);
  const speed = parseSpeed(options.speed ?? '1');
  const seed = options.seed === undefined ? {} : { seed: parseSeed(options.seed) };
  if (introduction !== undefined && !options.json) terminal.print(introduction);
  if (options.fresh) for (const path of [data, join(data, unlinkedDirectory)]) deleteState(path);

  const format = resolveLogFormat(loadLogFormat(process.env));
  const log = createLog({ level: 'warn', secrets: [], format });
  installProcessErrorHandlers(log);
  const program = programName(process.env['npm_lifecycle_event']);
  let addresses: Addresses | null = null;
  let token = '';
  let next: Partial<StartOver> & Pick<StartOver, 'linked'> = { linked: !options.unlinked };
  for (;;) {
    const { linked, tour } = next;
    const choice = Promise.withResolvers<StartOver>();
    const start = async () => {
      const { ports, environment } = addresses ?? (await chooseAddresses(port));
      return startSandbox({
        ...seed,
        ...{ speed, linked, environment, ports, log },
        history: linked && options.seed !== 'none',
        directory: linked ? data : join(data, unlinkedDirectory),
        commandLine: { program, tour, startOver: choice.resolve },
        botLog({ logLevel, secrets, ownerToken }) {
          token = ownerToken ?? '';
          return createLog({ level: logLevel, secrets, format });
        },
      });
    };
    // Another program can take a free port before it is used.
    const sandbox = await start().catch((error: unknown) => (isPortTaken(error) ? start() : Promise.reject(error)));
    if (addresses === null) {
      const { urls } = sandbox;
      terminal.print(options.json ? JSON.stringify(urls) : banner(urls.page, program));
      const { platform, env: environment } = process;
      const isTerminal = process.stdout.isTTY === true;
      if (options.open && !options.json && canOpenBrowser({ environment, platform, isTerminal }))
        openPage(urls.page, platform);
    }
    addresses = addressesOf(sandbox);
    const forgetAccess = noteSandboxAccess({ url: sandbox.urls.bot, token });
    const chosen = await Promise.race([choice.promise, untilStopped(terminal.stop)]);
    forgetAccess();
    await sandbox.stop();
    if (chosen === undefined) return exitCode.ok;
    next = chosen;
  }
}

/** In the directory of the sandbox with listings: the files of the one without. */
const unlinkedDirectory = 'unlinked';

const banner = (page: string, program: string) => `
  tallyhook sandbox: everything runs on this machine. Ctrl+C stops it.

    Open           ${page}
    Owner console  ${page}${consolePath}
    As an owner    ${program} sandbox ${program.startsWith('npm') ? '-- ' : ''}--unlinked
    Go live        ${program} init
`;

type Addresses = Required<Pick<SandboxOptions, 'ports' | 'environment'>>;

/** Free ports for everything; that of the bot is in its environment, unless the operator has chosen one. */
async function chooseAddresses(page: number | null): Promise<Addresses> {
  const ports = { page: page ?? (await freePort(host, 3100)), service: await freePort(host, 3200) };
  const { env } = process;
  if (env['PORT'] || env['PORT_FILE']) return { ports, environment: env };
  return { ports, environment: { ...env, PORT: String(await freePort(loadHttpAddress(env).host, 3000)) } };
}

function addressesOf({ urls: { page, service, bot } }: Sandbox): Addresses {
  const portOf = (url: string) => Number(new URL(url).port);
  const environment = { ...process.env, PORT: String(portOf(bot)), PORT_FILE: undefined };
  return { ports: { page: portOf(page), service: portOf(service) }, environment };
}

function parsePort(text: string): number {
  if (/^\d+$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new UsageError(`--port must be a number from 0 to 65535, not "${text}".`);
}

function parseSpeed(text: string): number {
  const speed = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (speed >= 1 && speed <= maxSpeed) return speed;
  throw new UsageError(`--speed must be a number from 1 to ${maxSpeed}, not "${text}".`);
}

function parseSeed(text: string): number | 'none' {
  if (text === 'none') return 'none';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(`--seed must be a whole number or "none", not "${text}".`);
}

function isPortTaken(error: unknown): boolean {
  return error instanceof TallyhookError && error.code === 'cannot_listen';
}

/** The preferred port if it is free, otherwise 0 (any free port). */
function freePort(host: string, preferred: number): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(0));
    probe.listen(preferred, host, () => probe.close(() => resolve(preferred)));
  });
}

/** Checks whether a person can see a browser: stdout is a terminal, there is a display, and this is not CI. */
export function canOpenBrowser(context: {
  readonly environment: Environment;
  readonly platform: NodeJS.Platform;
  readonly isTerminal: boolean;
}): boolean {
  const { environment, platform, isTerminal } = context;
  if (!isTerminal || isSet(environment['CI'])) return false;
  // Over SSH the browser would open on the remote machine.
  if (isSet(environment['SSH_CONNECTION'])) return false;
  if (platform === 'darwin' || platform === 'win32') return true;
  return isSet(environment['DISPLAY']) || isSet(environment['WAYLAND_DISPLAY']);
}

/** Opens the page in the default browser; failures are ignored, since the address is printed. */
function openPage(url: string, platform: NodeJS.Platform): void {
  const [program, args] = openCommand(platform, url);
  const child = spawn(program, args, { detached: true, stdio: 'ignore' });
  child.on('error', () => {});
  child.unref();
}

function openCommand(platform: NodeJS.Platform, url: string): [program: string, args: string[]] {
  if (platform === 'darwin') return ['open', [url]];
  if (platform === 'win32') return ['cmd', ['/c', 'start', '', url]];
  return ['xdg-open', [url]];
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== 'false' && value !== '0';
}
