import { type Terminal, UsageError } from './terminal.ts';

/* Shared by the commands that copy a database to or from a file. */

/** The only positional argument. @throws UsageError if it is missing or there are several */
export function singleFile(positionals: readonly string[]): string {
  const [file, ...others] = positionals;
  if (file === undefined || file === '' || others.length > 0) throw new UsageError('Specify exactly one file.');
  return file;
}

/** Prints a line for each tenth. A small database is copied before the first one. */
export function printCopyProgress(terminal: Terminal): (fraction: number) => void {
  let printedTenths = 0;
  return (fraction) => {
    const tenths = Math.floor(fraction * 10);
    if (tenths <= printedTenths || tenths >= 10) return;
    printedTenths = tenths;
    terminal.printError(`${tenths}0 % copied …`);
  };
}
