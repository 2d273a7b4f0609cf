import { sqlitePathOf } from '@tallyhook/platform/database/database-url';
import { copyDatabase, restoreDatabase } from '@tallyhook/platform/database/snapshots/backup';
import { formatCount } from '@tallyhook/platform/durations';
import type { Run } from '@tallyhook/platform/terminal/program';
import { copyWithProgress } from '@tallyhook/platform/terminal/progress';
import { exitCode, type Terminal } from '@tallyhook/platform/terminal/terminal';
import { type ServiceContents, serviceCopyFormat } from '../storage/database-format.ts';
import { readDatabaseAddress } from './options.ts';

/** `listing-service backup`. */
export const backup = copyCommand({
  postgresHint: (file) => `Back it up with: pg_dump --format=custom --file=${file} "$SERVICE_DATABASE_URL"`,
  copy: (file, path, terminal) =>
    copyWithProgress(terminal, (options) => copyDatabase(serviceCopyFormat, path, file, options)),
  formatSuccess: (file, path) => `Copied ${path} to ${file}`,
});

/** `listing-service restore`. */
export const restore = copyCommand({
  postgresHint: (file) => `Restore it with: pg_restore --clean --if-exists --dbname="$SERVICE_DATABASE_URL" ${file}`,
  copy: (file, path) => restoreDatabase(serviceCopyFormat, file, path),
  formatSuccess: (file, path) => `Restored ${path} from ${file}`,
});

/** A command that copies between a backup file and the database, and prints a summary of what was copied. */
function copyCommand(definition: {
  readonly postgresHint: (file: string) => string;
  readonly copy: (file: string, path: string, terminal: Terminal) => Promise<ServiceContents>;
  readonly formatSuccess: (file: string, path: string) => string;
}): Run<{ readonly database?: string; readonly json?: boolean }> {
  const { postgresHint, copy, formatSuccess } = definition;
  return async (options, terminal, [file = '']) => {
    const path = sqlitePathOf(await readDatabaseAddress(options, terminal));
    if (path === null) {
      terminal.printError(`The database is PostgreSQL. ${postgresHint(file)}`);
      return exitCode.usage;
    }
    const { countDifferences, ...contents } = await copy(file, path, terminal);
    const lastVoteAt = contents.lastVoteAt === null ? null : new Date(contents.lastVoteAt).toISOString();
    if (options.json) {
      const result = { file, database: path, ...contents, lastVoteAt, differingCounts: countDifferences };
      terminal.print(JSON.stringify(result));
    } else {
      terminal.print(`${formatSuccess(file, path)}: ${formatContents(contents)}, last vote ${lastVoteAt ?? 'none'}.`);
    }
    if (countDifferences === 0) return exitCode.ok;
    terminal.printError(
      `The counts of ${formatCount(countDifferences, 'listing')} in the copy and in the original differ from the rows. ` +
        'Run `listing-service doctor` for details.',
    );
    return exitCode.runtimeError;
  };
}

function formatContents({ listings, members, votes, reviews }: Omit<ServiceContents, 'countDifferences'>): string {
  const rows = [formatCount(votes, 'vote'), formatCount(reviews, 'review'), formatCount(members, 'member')];
  return `${formatCount(listings, 'listing')}, ${rows.join(', ')}`;
}
