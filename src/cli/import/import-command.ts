import { isSnowflake } from '@tallyhook/platform/snowflake';
import { command } from '@tallyhook/platform/terminal/command';
import { UsageError, withSuggestion } from '@tallyhook/platform/terminal/terminal';
import { maxReasonLength } from '../../core/ledger/correction.ts';
import { withoutGuild } from '../../features/communities/only-community.ts';
import { parseMapping } from './columns.ts';
import { importHistory } from './import-history.ts';
import { decimalSigns } from './interpret-row.ts';
import { fileFormats } from './read-rows.ts';
import { runImport } from './run-import.ts';
import { listImports, undoImport } from './stored-imports.ts';

const help = `tallyhook import: take over balances and votes from CSV and JSON files of other programs

Usage
  tallyhook import FILE... [options]      credit what the files contain
  tallyhook import --from-site [options]  credit the votes that the site of a listing, such as top.gg, has in its history
  tallyhook import --list                 print the imports with their ids
  tallyhook import --undo ID|NAME         take back what an import credited, as far as members have not spent it

Options
  --dry-run          report what would be credited, and what rejected, and change nothing
  --as KIND          what a row is: balances (one row per member; the default without times) or votes (one row per vote)
  --map COLUMNS      which column is what, if that is not recognised: user=discord_id,credits=points,votes=count,
                     time=voted_at,listing=site. In JSON a name may lead into objects: credits=value.points
  --key TEMPLATE     where the id is in a key of a database such as quick.db: points_{user}, points_{guild}_{user}
  --path NAME        where the rows are in a JSON file, if not at the top: users, or data.users
  --format FORMAT    csv, json (an array or object) or ndjson (one JSON value per line), if that is not recognised
  --name NAME        the name of the import (default: the name of the first file). A name credits a member's balance,
                     and each vote, once ever, so it can be repeated with the same files, or with newer ones
  --guild ID         the community: the id of its Discord server, or none for listings
                     without one (default: the only one)
  --since TIME       with --from-site: the first votes (default: a year ago, or where the import of this name has got to)
  --listing NAME     what the votes are for (default: the only listing)
  --votes-at TIME    when votes were cast of which a row has only the number, such as 2026-01-31
  --reason TEXT      what members read (default: "imported from NAME")
  --round            cut off fractions of credits, instead of rejecting the rows
  --decimal SIGN     what begins a fraction, if that is not clear: "," (1.234 is 1234) or "." (1,234 is 1234)
  --rejected FILE    write all rejected rows to a new CSV file, with lines and reasons
  --yes              import without asking; required if the input is not a terminal
  --json             print the result as a JSON object
  --help             print this help

Balances become corrections. Votes are added to the members' votes, streaks and leaderboards of their time; they earn
nothing, and nothing is announced. The bot may run meanwhile. An import that was interrupted continues when it is run
again. Settings are those of the bot. docs/import.md has examples.

Exit codes: 0 success, 1 runtime error, or some rows were rejected, 2 invalid usage, settings or file.`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;

export const rowKinds = ['balances', 'votes'] as const;

export const importCommand = command({
  help,
  options: {
    'dry-run': flag,
    yes: flag,
    json: flag,
    list: flag,
    'from-site': flag,
    round: flag,
    decimal: text,
    undo: text,
    as: text,
    map: text,
    key: text,
    path: text,
    format: text,
    name: text,
    guild: text,
    listing: text,
    'votes-at': text,
    since: text,
    reason: text,
    rejected: text,
  },
  allowPositionals: true,
  choices: { as: rowKinds, format: fileFormats, decimal: decimalSigns },
  async run({ values, positionals: files }, terminal) {
    const { json, yes, list, undo, 'dry-run': dryRun } = values;
    if (list || undo !== undefined) {
      if (files.length > 0) throw new UsageError(`Unexpected argument "${files[0]}".`);
      if (list) return listImports(json, terminal);
      if (!undo) throw new UsageError('--undo needs the id or the name of an import, as in --list.');
      return undoImport(undo, { dryRun, yes, json }, terminal);
    }
    const fromSite = values['from-site'];
    if (files.length === 0 && !fromSite) throw new UsageError('Specify the file to import.');
    const { guild = null, reason, name, path, since = null } = values;
    const ofFiles = ['as', 'map', 'key', 'path', 'format', 'votes-at', 'rejected', 'decimal'] as const;
    const unused = fromSite ? (files[0] ?? ofFiles.find((option) => values[option] !== undefined)) : undefined;
    if (unused !== undefined) throw new UsageError(`With --from-site, "${unused}" has no meaning: it reads no file.`);
    if (since !== null && !fromSite) throw new UsageError('--since needs --from-site.');
    if (guild !== null && guild !== withoutGuild && !isSnowflake(guild))
      throw new UsageError('--guild needs the id of a Discord server (digits), or none.');
    if (name !== undefined && (name.trim() === '' || name.length > 100)) {
      throw new UsageError('--name needs 1 to 100 characters.');
    }
    if (reason !== undefined && (reason.trim() === '' || reason.length > maxReasonLength)) {
      throw new UsageError(`--reason needs 1 to ${maxReasonLength} characters.`);
    }
    const common = { dryRun, yes, json, guildId: guild, listing: values.listing ?? null };
    const named = { ...common, name: name ?? null, reason: reason ?? null };
    if (fromSite) return importHistory({ ...named, since }, terminal);
    return runImport(
      {
        ...named,
        files,
        round: values.round,
        decimal: oneOf('--decimal', values.decimal, decimalSigns),
        rowsAre: oneOf('--as', values.as, rowKinds),
        mapping: parseMapping(values.map),
        key: values.key ?? null,
        path: path?.split('.') ?? [],
        format: oneOf('--format', values.format, fileFormats),
        votesAt: values['votes-at'] ?? null,
        rejectedFile: values.rejected ?? null,
      },
      terminal,
    );
  },
});

function oneOf<Choice extends string>(option: string, value: string | undefined, choices: readonly Choice[]) {
  if (value === undefined) return null;
  const found = choices.find((choice) => choice === value);
  if (found === undefined) {
    throw new UsageError(withSuggestion(`${option} needs ${choices.join(' or ')}, not "${value}".`, value, choices));
  }
  return found;
}
