import { type Clock, systemClock } from '@tallyhook/platform/clock';
import { formatCount } from '@tallyhook/platform/durations';
import { type CliCommand, command } from '@tallyhook/platform/terminal/command';
import { exitCode, readSecret, type Terminal, UsageError } from '@tallyhook/platform/terminal/terminal';
import { type ConformanceResult, runConformance } from './suite.ts';

const help = `listing-service conformance: check a service against the document of the lookup API

Usage
  listing-service conformance --base-url URL --server-key KEY --bot-key KEY [options]

Options
  --base-url URL          base URL of the API; ends in /api/v1
  --server-key KEY        API key of a server   } at least one is required;
  --bot-key KEY           API key of a bot      } checks that need a missing key are skipped
  --server-key-file FILE  read the key from a file, to keep it out of the shell history
  --bot-key-file FILE     the same for the key of the bot
  --voted-user ID         Discord id of a user who has voted for the server
  --skip-rate-limit       do not check the rate limit, which takes a minute (up to three if more than 120 requests
                          are accepted) and uses up the key of the server for another
  --choices               also compare what the document does not define with tallyhook's own service
  --json                  print each check as a JSON object: {outcome, section, line, saw}
  --help                  print this help

The outcome of each check is one of
  holds    the service conforms to the document
  fails    the service does not conform to the document
  skipped  the check could not be run; the reason is printed
  differs  with --choices: the document defines nothing, and the service behaves differently from tallyhook's own

Exit codes: 0 no check fails, 1 a check fails, 2 invalid usage.`;

const options = {
  'base-url': { type: 'string' },
  'server-key': { type: 'string' },
  'bot-key': { type: 'string' },
  'server-key-file': { type: 'string' },
  'bot-key-file': { type: 'string' },
  'voted-user': { type: 'string' },
  'skip-rate-limit': { type: 'boolean', default: false },
  choices: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

/** `listing-service conformance`: checks a service against the document of the lookup API. */
export function createConformanceCommand(clock: Clock): CliCommand {
  return command({
    help,
    options,
    async run({ values }, terminal) {
      const baseUrl = values['base-url'];
      if (baseUrl === undefined || !URL.canParse(baseUrl)) throw new UsageError('--base-url must be a URL.');
      const { 'voted-user': votedUser, 'skip-rate-limit': skipRateLimit, choices } = values;
      const server = await readKey(values['server-key'], values['server-key-file'], terminal);
      const bot = await readKey(values['bot-key'], values['bot-key-file'], terminal);
      if (server === undefined && bot === undefined) throw new UsageError('--server-key or --bot-key is required.');
      const keys = { ...(server === undefined ? {} : { server }), ...(bot === undefined ? {} : { bot }) };
      const suite = { baseUrl, keys, votedUser, skipRateLimit, choices, clock };
      const counts = { holds: 0, fails: 0, differs: 0, skipped: 0 };
      for await (const result of runConformance(suite)) {
        if (terminal.stop.aborted) break;
        counts[result.outcome] += 1;
        terminal.print(values.json ? JSON.stringify(result) : formatResult(result));
      }
      const { holds, fails, differs, skipped } = counts;
      const summary = [
        formatCount(holds, 'holds', 'hold'),
        formatCount(fails, 'fails', 'fail'),
        ...(choices ? [formatCount(differs, 'differs', 'differ')] : []),
        `${skipped} skipped`,
      ];
      if (!values.json) terminal.print(summary.join(', '));
      return fails === 0 ? exitCode.ok : exitCode.runtimeError;
    },
  });
}

export const conformanceCommand = createConformanceCommand(systemClock);

function formatResult(result: ConformanceResult): string {
  const line = `${result.outcome.padEnd(8)} ${result.section.padEnd(7)} ${result.line}`;
  return result.outcome === 'holds' ? line : `${line}: ${result.saw}`;
}

async function readKey(
  key: string | undefined,
  file: string | undefined,
  terminal: Terminal,
): Promise<string | undefined> {
  return key === undefined && file === undefined ? undefined : readSecret({ secret: key, file }, terminal);
}
