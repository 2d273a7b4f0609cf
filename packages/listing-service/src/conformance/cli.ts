import type { Clock } from '@tallyhook/platform/clock';
import { formatCount } from '@tallyhook/platform/durations';
import type { Run } from '@tallyhook/platform/terminal/program';
import { exitCode, readSecret, type Terminal, UsageError } from '@tallyhook/platform/terminal/terminal';
import { type ConformanceResult, runConformance } from './suite.ts';

interface ConformanceOptions {
  readonly baseUrl: string;
  readonly serverKey?: string;
  readonly botKey?: string;
  readonly serverKeyFile?: string;
  readonly botKeyFile?: string;
  readonly votedUser?: string;
  readonly skipRateLimit?: boolean;
  readonly choices?: boolean;
  readonly json?: boolean;
}

/** `listing-service conformance`: checks a service against the document of the lookup API. */
export function createConformance(clock: Clock): Run<ConformanceOptions> {
  return (options, terminal) => checkConformance(options, terminal, clock);
}

async function checkConformance(values: ConformanceOptions, terminal: Terminal, clock: Clock): Promise<number> {
  const { baseUrl, votedUser, skipRateLimit = false, choices = false } = values;
  if (!URL.canParse(baseUrl)) throw new UsageError('--base-url must be a URL.');
  const server = await readKey(values.serverKey, values.serverKeyFile, terminal);
  const bot = await readKey(values.botKey, values.botKeyFile, terminal);
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
}

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
