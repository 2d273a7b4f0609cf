import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { loadLogFormat } from '../../config/log-format.ts';
import { createLog } from '../platform/log.ts';
import { resolveLogFormat } from '../terminal/log-format.ts';
import { parseOptions } from '../terminal/parse-options.ts';
import { installProcessErrorHandlers } from '../terminal/process-errors.ts';
import { exitCode, type Terminal, UsageError, untilStopped } from '../terminal/terminal.ts';
import { freePort } from './free-port.ts';
import { canOpenBrowser, openPage } from './open-page.ts';
import { maxSpeed, ownedFiles, startSandbox } from './sandbox.ts';

const help = `tallyhook sandbox: a Discord and a listing service on this machine, and the bot between them

Nothing leaves the machine and no account is needed. It opens a page on which you see the channels, type the commands,
vote, watch credits and announcements arrive, and make trouble.

  --port PORT    port of the page (default 3100, or a free one where it is taken)
  --no-open      only print the address of the page; it is opened only where a terminal and a display are there anyway
  --speed X      let its clock run X times as fast, 1 to ${maxSpeed}; deadlines of connections stay what they are
  --seed N       draw what is left to chance from the number N, the same every time
  --seed none    begin with listings that nobody has voted for or reviewed (on a new or --fresh directory)
  --data DIR     where it keeps what happened (default data/sandbox)
  --fresh        forget what happened before
  --json         print the addresses as one JSON object: {page, service, bot}

CREDITS_PER_VOTE, OWNER_TOKEN, HOST, PORT and the like are heeded; everything about Discord and the service is the
sandbox's own.`;

const host = '127.0.0.1';

/** `tallyhook sandbox`: runs until the terminal says stop. */
export async function sandboxCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values } = parseOptions({
    args: [...args],
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      port: { type: 'string' },
      'no-open': { type: 'boolean', default: false },
      speed: { type: 'string', default: '1' },
      seed: { type: 'string' },
      data: { type: 'string', default: join('data', 'sandbox') },
      fresh: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    terminal.print(help);
    return exitCode.ok;
  }
  const given = {
    page: values.port === undefined ? null : parsePort(values.port),
    speed: parseSpeed(values.speed),
    ...(values.seed === undefined ? {} : { seed: parseSeed(values.seed) }),
  };
  if (values.fresh) deleteState(values.data);

  const { page: wantedPort, ...rest } = given;
  const format = resolveLogFormat(loadLogFormat(process.env));
  const log = createLog({ level: 'warn', secrets: [], format });
  installProcessErrorHandlers(log);
  const sandbox = await startSandbox({
    ...rest,
    directory: values.data,
    environment: { ...process.env, PORT: process.env['PORT'] || String(await freePort(host, 3000)) },
    ports: { page: wantedPort ?? (await freePort(host, 3100)), service: await freePort(host, 3200) },
    log,
    botLog: ({ logLevel, secrets }) => createLog({ level: logLevel, secrets, format }),
  });
  const { page, service, bot } = sandbox.urls;
  if (values.json) terminal.print(JSON.stringify(sandbox.urls));
  else
    terminal.print(`
  tallyhook sandbox: nothing leaves this machine.

    Open  ${page}

    the listing service  ${service}
    the bot's receiver   ${bot}/webhooks/vote

  Stop with Ctrl+C.
`);
  const { platform, env: environment } = process;
  const isTerminal = process.stdout.isTTY === true;
  if (!values['no-open'] && !values.json && canOpenBrowser({ environment, platform, isTerminal }))
    openPage(page, platform);
  await untilStopped(terminal.stop);
  await sandbox.stop();
  return exitCode.ok;
}

function parsePort(text: string): number {
  if (/^\d+$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new UsageError(`"${text}" is no port.`);
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

/** Only what it made itself, by name: a directory that was given by mistake loses nothing else. */
function deleteState(directory: string): void {
  const databases = ownedFiles.databases.flatMap((name) => ['', '-wal', '-shm'].map((suffix) => name + suffix));
  const stateFiles = ownedFiles.stateFiles.flatMap((name) => ['', '.new', '.damaged'].map((suffix) => name + suffix));
  for (const name of [...databases, ...stateFiles]) rmSync(join(directory, name), { force: true });
}
