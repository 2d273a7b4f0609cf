import { surviveClosedOutput } from '@tallyhook/platform/terminal/process-terminal';
import { conformanceCommand } from './cli.ts';

// Nothing needs a graceful shutdown, so signals may end the process.
const stop = new AbortController().signal;
surviveClosedOutput();

process.exitCode = await conformanceCommand(process.argv.slice(2), {
  print: (line) => void process.stdout.write(`${line}\n`),
  printError: (line) => void process.stderr.write(`${line}\n`),
  input: process.stdin,
  output: process.stdout,
  stop,
});
