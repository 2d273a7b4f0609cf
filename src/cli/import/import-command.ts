import { isSnowflake } from '@tallyhook/platform/snowflake';
import { type Terminal, UsageError } from '@tallyhook/platform/terminal/terminal';
import { maxReasonLength } from '../../core/ledger/correction.ts';
import { withoutGuild } from '../../features/communities/only-community.ts';
import { parseMapping } from './columns.ts';
import { importHistory } from './import-history.ts';
import type { DecimalSign } from './interpret-row.ts';
import type { FileFormat } from './read-rows.ts';
import { runImport } from './run-import.ts';
import { listImports, undoImport } from './stored-imports.ts';

interface ImportArguments {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
  readonly list?: boolean;
  readonly fromSite?: boolean;
  readonly round?: boolean;
  readonly decimal?: DecimalSign;
  readonly undo?: string;
  readonly as?: 'balances' | 'votes';
  readonly map?: string;
  readonly key?: string;
  readonly path?: string;
  readonly format?: FileFormat;
  readonly name?: string;
  readonly guild?: string;
  readonly listing?: string;
  readonly votesAt?: string;
  readonly since?: string;
  readonly reason?: string;
  readonly rejected?: string;
}

/** `tallyhook import`. */
export async function importData(
  values: ImportArguments,
  terminal: Terminal,
  files: readonly string[],
): Promise<number> {
  const { json = false, yes = false, list, undo, dryRun = false, fromSite = false } = values;
  if (list || undo !== undefined) {
    if (files.length > 0) throw new UsageError(`Unexpected argument "${files[0]}".`);
    if (list) return listImports(json, terminal);
    if (!undo) throw new UsageError('--undo needs the id or the name of an import, as in --list.');
    return undoImport(undo, { dryRun, yes, json }, terminal);
  }
  if (files.length === 0 && !fromSite) throw new UsageError('Specify the file to import.');
  const { guild = null, reason, name, path, since = null } = values;
  const ofFiles = ['as', 'map', 'key', 'path', 'format', 'votesAt', 'rejected', 'decimal'] as const;
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
      round: values.round ?? false,
      decimal: values.decimal ?? null,
      rowsAre: values.as ?? null,
      mapping: parseMapping(values.map),
      key: values.key ?? null,
      path: path?.split('.') ?? [],
      format: values.format ?? null,
      votesAt: values.votesAt ?? null,
      rejectedFile: values.rejected ?? null,
    },
    terminal,
  );
}
