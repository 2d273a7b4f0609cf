import { type Clock, systemClock } from '../../platform/clock.ts';
import { formatCount } from '../../platform/durations.ts';
import { parseOptions } from '../../terminal/parse-options.ts';
import { exitCode, readSecret, runCommand, type Terminal, UsageError } from '../../terminal/terminal.ts';
import { type ConformanceFinding, conformance } from './suite.ts';

export const conformanceHelp = `conformance: holds a service against the lookup API's document, line by line

Usage
  npm run conformance -- --base-url URL --server-key KEY --bot-key KEY [options]

Options
  --base-url URL          where the API is; ends in /api/v1
  --server-key KEY        an API key of a server   } at least one;
  --bot-key KEY           an API key of a bot      } what a missing one would show is skipped
  --server-key-file FILE  reads it from a file, which keeps it out of the shell's history
  --bot-key-file FILE     likewise
  --voted-user ID         somebody who has voted for the server
  --skip-rate-limit       leaves the rate limit alone; checking it spends the keys for a minute
  --json                  one JSON object to a finding: {outcome, section, line, saw}
  --help                  this text

Every line says one of
  holds    the service does what the document says, or what tallyhook's own service does where the document is silent
  fails    it does not do what the document says
  differs  the document is silent, and it decides otherwise
  skipped  it could not be seen

Exit codes: 0 nothing fails, 1 something fails, 2 wrong usage.`;

export function conformanceCommand(
  args: readonly string[],
  terminal: Terminal,
  clock: Clock = systemClock,
): Promise<number> {
  return runCommand(terminal, async () => {
    const { values } = parseOptions({ args: [...args], options: words });
    if (values.help) {
      terminal.print(conformanceHelp);
      return exitCode.ok;
    }
    const baseUrl = values['base-url'];
    if (baseUrl === undefined || !URL.canParse(baseUrl)) throw new UsageError('--base-url must be a URL.');
    const server = await readKey(values['server-key'], values['server-key-file'], terminal);
    const bot = await readKey(values['bot-key'], values['bot-key-file'], terminal);
    if (server === undefined && bot === undefined) throw new UsageError('Give --server-key or --bot-key, or both.');
    const keys = { ...(server === undefined ? {} : { server }), ...(bot === undefined ? {} : { bot }) };
    const votedUser = values['voted-user'];
    const skipRateLimit = values['skip-rate-limit'];
    const counts = { holds: 0, fails: 0, differs: 0, skipped: 0 };
    for await (const finding of conformance({ baseUrl, keys, votedUser, skipRateLimit, clock })) {
      if (terminal.stop.aborted) break;
      counts[finding.outcome] += 1;
      terminal.print(values.json ? JSON.stringify(finding) : spell(finding));
    }
    const { holds, fails, differs, skipped } = counts;
    const verbs = [
      formatCount(holds, 'holds', 'hold'),
      formatCount(fails, 'fails', 'fail'),
      formatCount(differs, 'differs', 'differ'),
    ];
    if (!values.json) terminal.print(`${verbs.join(', ')}, ${skipped} skipped`);
    return fails === 0 ? exitCode.ok : exitCode.runtimeError;
  });
}

const words = {
  'base-url': { type: 'string' },
  'server-key': { type: 'string' },
  'bot-key': { type: 'string' },
  'server-key-file': { type: 'string' },
  'bot-key-file': { type: 'string' },
  'voted-user': { type: 'string' },
  'skip-rate-limit': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

function spell(finding: ConformanceFinding): string {
  const line = `${finding.outcome.padEnd(8)} ${finding.section.padEnd(7)} ${finding.line}`;
  return finding.outcome === 'holds' ? line : `${line}: ${finding.saw}`;
}

async function readKey(
  key: string | undefined,
  file: string | undefined,
  terminal: Terminal,
): Promise<string | undefined> {
  return key === undefined && file === undefined ? undefined : readSecret({ secret: key, file }, terminal);
}
