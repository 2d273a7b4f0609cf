import { sqlitePathOf } from '@tallyhook/platform/database/database-url';
import { copyDatabase, restoreDatabase } from '@tallyhook/platform/database/snapshots/backup';
import { formatCount } from '@tallyhook/platform/durations';
import { type CliCommand, command } from '@tallyhook/platform/terminal/command';
import { copyWithProgress, singleFile } from '@tallyhook/platform/terminal/copy-arguments';
import { exitCode, type Terminal } from '@tallyhook/platform/terminal/terminal';
import { type ServiceContents, serviceCopyFormat } from '../storage/database-format.ts';
import { readDatabaseAddress } from './options.ts';

const options = { database: { type: 'string' }, json: { type: 'boolean', default: false } } as const;

const optionsHelp = `Options
  --database sqlite:PATH   database of the service (default: SERVICE_DATABASE_URL, or sqlite:data/service.db)
  --json                   print the result as a JSON object: {file, database, listings, members, votes, reviews,
                           lastVoteAt, differingCounts}
  --help                   print this help`;

const backupHelp = `listing-service backup: copy the SQLite database of the service to a file while it runs, and verify the copy

Usage
  listing-service backup FILE [options]

${optionsHelp}

The copy is a consistent snapshot. It is verified (file integrity; the counts of every listing are those of its votes and
reviews) and has the name FILE.partial until then. An existing file is not overwritten. Only its owner can read the copy,
which contains the webhook secrets. For PostgreSQL the command prints the tool to use instead.

Exit codes: 0 copied, 1 not copied, or copied but counts differ, 2 invalid usage, or PostgreSQL.`;

const restoreHelp = `listing-service restore: restore the SQLite database of the service from a backup file

Usage
  listing-service restore FILE [options]

${optionsHelp}

Stop the service first, and move the old database away, with its -wal and -shm files if there are any: an existing
database is not overwritten. The backup is verified before it is copied, and is not changed. If the command fails, no
database is created. For PostgreSQL the command prints the tool to use instead.

Exit codes: 0 restored, 1 not restored, or restored but counts differ, 2 invalid usage, or PostgreSQL.`;

export const backupCommand = copyCommand({
  help: backupHelp,
  postgresHint: (file) => `Back it up with: pg_dump --format=custom --file=${file} "$SERVICE_DATABASE_URL"`,
  copy: (file, path, terminal) =>
    copyWithProgress(terminal, (options) => copyDatabase(serviceCopyFormat, path, file, options)),
  formatSuccess: (file, path) => `Copied ${path} to ${file}`,
});

export const restoreCommand = copyCommand({
  help: restoreHelp,
  postgresHint: (file) => `Restore it with: pg_restore --clean --if-exists --dbname="$SERVICE_DATABASE_URL" ${file}`,
  copy: (file, path) => restoreDatabase(serviceCopyFormat, file, path),
  formatSuccess: (file, path) => `Restored ${path} from ${file}`,
});

/** A command that copies between a backup file and the database, and prints a summary of what was copied. */
function copyCommand(definition: {
  readonly help: string;
  readonly postgresHint: (file: string) => string;
  readonly copy: (file: string, path: string, terminal: Terminal) => Promise<ServiceContents>;
  readonly formatSuccess: (file: string, path: string) => string;
}): CliCommand {
  const { help, postgresHint, copy, formatSuccess } = definition;
  return command({
    help,
    options,
    allowPositionals: true,
    async run({ values, positionals }, terminal) {
      const file = singleFile(positionals);
      const path = sqlitePathOf(await readDatabaseAddress(values, terminal));
      if (path === null) {
        terminal.printError(`The database is PostgreSQL. ${postgresHint(file)}`);
        return exitCode.usage;
      }
      const { countDifferences, ...contents } = await copy(file, path, terminal);
      const lastVoteAt = contents.lastVoteAt === null ? null : new Date(contents.lastVoteAt).toISOString();
      if (values.json) {
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
    },
  });
}

function formatContents({ listings, members, votes, reviews }: Omit<ServiceContents, 'countDifferences'>): string {
  const rows = [formatCount(votes, 'vote'), formatCount(reviews, 'review'), formatCount(members, 'member')];
  return `${formatCount(listings, 'listing')}, ${rows.join(', ')}`;
}
