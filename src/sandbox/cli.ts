import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { TallyhookError } from '@tallyhook/platform/errors';
import { createLog } from '@tallyhook/platform/log';
import { type CliCommand, command } from '@tallyhook/platform/terminal/command';
import { installProcessErrorHandlers } from '@tallyhook/platform/terminal/process-errors';
import { resolveLogFormat } from '@tallyhook/platform/terminal/process-terminal';
import { programName } from '@tallyhook/platform/terminal/program-name';
import { exitCode, UsageError, untilStopped } from '@tallyhook/platform/terminal/terminal';
import type { Environment } from '../../config/environment.ts';
import { loadHttpAddress, loadLogFormat } from '../../config/load.ts';
import { deleteState } from './data-directory.ts';
import type { StartOver } from './page/ports.ts';
import { consolePath } from './page/sandbox-page.ts';
import { maxSpeed, type Sandbox, type SandboxOptions, startSandbox } from './sandbox.ts';

const help = `tallyhook sandbox: run the bot with a local Discord and a local listing service, to try it without an account

Usage
  tallyhook sandbox [options]

Options
  --port PORT   port of the page (default 3100, or a free port if it is in use)
  --no-open     do not open the page in the browser (default: open it if there is a terminal and a display)
  --speed X     run the sandbox clock X times as fast, 1 to ${maxSpeed}; connection timeouts still use real time (default 1)
  --seed N      use the number N as the seed of all random values, for repeatable runs
  --seed none   start with listings that have no votes or reviews (in a new or --fresh directory)
  --unlinked    start without listings, to link them with /setup; the listing service has their API keys
  --data DIR    directory for the sandbox's state (default data/sandbox), with unlinked/ for the one without listings
  --fresh       delete the previous state first
  --json        print the addresses as a JSON object: {page, service, bot}
  --help        print this help

The page has the channels, slash commands, votes on three listing sites, credits, announcements, and buttons that
inject faults, and leads through them in three tours. Everything runs on this machine.

Settings such as CREDITS_PER_VOTE, OWNER_TOKEN, HOST and PORT apply to the bot. The sandbox sets everything that
concerns Discord and the listing service.

Exit codes: 0 stopped by a signal, 1 runtime error, or exit after a second signal, 2 invalid usage or settings.`;

const host = '127.0.0.1';

/** `tallyhook sandbox`: runs until the terminal is stopped. */
export const sandboxCommand = createSandboxCommand();

/** @param introduction is printed as soon as the arguments are known to be valid */
export function createSandboxCommand(introduction?: string): CliCommand {
  return command({
    help,
    options: {
      port: { type: 'string' },
      'no-open': { type: 'boolean', default: false },
      speed: { type: 'string', default: '1' },
      seed: { type: 'string' },
      data: { type: 'string', default: join('data', 'sandbox') },
      fresh: { type: 'boolean', default: false },
      unlinked: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
    async run({ values }, terminal) {
      const port = values.port === undefined ? null : parsePort(values.port);
      const speed = parseSpeed(values.speed);
      const seed = values.seed === undefined ? {} : { seed: parseSeed(values.seed) };
      if (introduction !== undefined && !values.json) terminal.print(introduction);
      if (values.fresh) for (const path of [values.data, join(values.data, unlinkedDirectory)]) deleteState(path);

      const format = resolveLogFormat(loadLogFormat(process.env));
      const log = createLog({ level: 'warn', secrets: [], format });
      installProcessErrorHandlers(log);
      const program = programName(process.env['npm_lifecycle_event']);
      let addresses: Addresses | null = null;
      let next: Partial<StartOver> & Pick<StartOver, 'linked'> = { linked: !values.unlinked };
      for (;;) {
        const { linked, tour } = next;
        const choice = Promise.withResolvers<StartOver>();
        const start = async () => {
          const { ports, environment } = addresses ?? (await chooseAddresses(port));
          return startSandbox({
            ...seed,
            ...{ speed, linked, environment, ports, log },
            directory: linked ? values.data : join(values.data, unlinkedDirectory),
            commandLine: { program, tour, startOver: choice.resolve },
            botLog: ({ logLevel, secrets }) => createLog({ level: logLevel, secrets, format }),
          });
        };
        // Another program can take a free port before it is used.
        const sandbox = await start().catch((error: unknown) => (isPortTaken(error) ? start() : Promise.reject(error)));
        if (addresses === null) {
          const { urls } = sandbox;
          terminal.print(values.json ? JSON.stringify(urls) : banner(urls.page, program));
          const { platform, env: environment } = process;
          const isTerminal = process.stdout.isTTY === true;
          if (!values['no-open'] && !values.json && canOpenBrowser({ environment, platform, isTerminal }))
            openPage(urls.page, platform);
        }
        addresses = addressesOf(sandbox);
        const chosen = await Promise.race([choice.promise, untilStopped(terminal.stop)]);
        await sandbox.stop();
        if (chosen === undefined) return exitCode.ok;
        next = chosen;
      }
    },
  });
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

/** Where a sandbox was, for the one that takes its place. */
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
