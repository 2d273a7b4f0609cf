import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../clock.ts';
import { createLog } from '../log.ts';
import { exit, type Terminal, UsageError } from '../terminal.ts';
import { freePort } from './free-port.ts';
import { startSandbox } from './sandbox.ts';

const help = `tallyhook sandbox: a Discord and a listing service on this machine, and the bot between them

Nothing leaves the machine and no account is needed. It prints the address of a page on which you see the channels, type
the commands, vote, and watch credits and announcements arrive.

  --port PORT    port of the page (default 3100, or a free one where it is taken)
  --data DIR     where its databases lie (default data/sandbox)
  --fresh        forget what happened before

CREDITS_PER_VOTE, OWNER_TOKEN, HOST, PORT and the like are heeded; everything about Discord and the service is the
sandbox's own.`;

const host = '127.0.0.1';

/** `tallyhook sandbox`: runs until the terminal says stop. */
export async function sandboxCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      port: { type: 'string' },
      data: { type: 'string', default: join('data', 'sandbox') },
      fresh: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    terminal.print(help);
    return exit.fine;
  }
  if (values.fresh) forget(values.data);

  const log = createLog({ level: 'warn', secrets: [] });
  const sandbox = await startSandbox({
    directory: values.data,
    environment: { ...process.env, PORT: process.env['PORT'] || String(await freePort(host, 3000)) },
    ports: {
      page: values.port === undefined ? await freePort(host, 3100) : portIn(values.port),
      service: await freePort(host, 3200),
    },
    clock: systemClock,
    log,
    botLog: ({ logLevel, secrets }) => createLog({ level: logLevel, secrets }),
  });
  const { page, service, bot } = sandbox.urls;
  terminal.print(`
  tallyhook sandbox: nothing leaves this machine.

    Open  ${page}

    the listing service  ${service}
    the bot's receiver   ${bot}/webhooks/vote

  Stop with Ctrl+C.
`);
  await new Promise<void>((resolve) => {
    if (terminal.stop.aborted) resolve();
    else terminal.stop.addEventListener('abort', () => resolve(), { once: true });
  });
  await sandbox.stop();
  return exit.fine;
}

function portIn(text: string): number {
  if (/^\d+$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new UsageError(`"${text}" is no port.`);
}

/** Only the databases, by name: a directory that was given by mistake loses nothing else. */
function forget(directory: string): void {
  for (const name of ['service.db', 'tallyhook.db', 'cache.db']) {
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(directory, name + suffix), { force: true });
  }
}
