import { loadDatabaseUrl } from '../../../config/load.ts';
import { homeAccounts } from '../../core/ledger/account-id.ts';
import type { StoredImport } from '../../features/imports/items.ts';
import { openStore } from '../../features/store.ts';
import { systemClock } from '../../platform/clock.ts';
import { formatCount } from '../../platform/durations.ts';
import { exitCode, type Terminal } from '../../platform/terminal/terminal.ts';

/** `tallyhook import --list`. */
export async function listImports(json: boolean, { print }: Terminal): Promise<number> {
  const store = await openStore(loadDatabaseUrl(process.env), systemClock, { thread: false });
  try {
    const imports = await store.imports.list();
    if (json) {
      const rows = imports.map(({ accounts, startedAt, finishedAt, ...row }) => ({
        ...row,
        guildId: accounts === homeAccounts ? null : accounts,
        ...{ startedAt: isoOf(startedAt), finishedAt: isoOf(finishedAt) },
      }));
      print(JSON.stringify(rows, null, 2));
    } else if (imports.length === 0) print('Nothing was imported.');
    else for (const each of imports) print(formatImport(each));
    return exitCode.ok;
  } finally {
    await store.close();
  }
}

const states: Readonly<Record<StoredImport['state'], string>> = {
  importing: 'not complete: run it again',
  done: 'done',
  undoing: 'undo not complete: run --undo again',
  undone: 'undone',
};

function formatImport({ id, name, accounts, state, startedAt, credits, votes, spent }: StoredImport): string {
  const guild = accounts === homeAccounts ? '' : ` in guild ${accounts}`;
  const rest = spent === 0 ? '' : `, ${formatCount(spent, 'credit')} were spent`;
  const contents = `${formatCount(credits, 'credit')}, ${formatCount(votes, 'vote')}`;
  return `${id}  ${isoOf(startedAt)}  ${name}${guild}: ${contents} (${states[state]}${rest})`;
}

/** @param at ms since the epoch */
function isoOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
