import { loadConfig, loadDatabaseUrl } from '../../../config/load.ts';
import { homeAccounts } from '../../core/ledger/account.ts';
import { withoutSecrets } from '../../core/receiving/listing.ts';
import type { StoredImport } from '../../features/imports/items.ts';
import { systemClock } from '../../platform/clock.ts';
import { formatCount, isoTime } from '../../platform/durations.ts';
import { TallyhookError } from '../../platform/errors.ts';
import { confirm } from '../../platform/terminal/confirm.ts';
import { exitCode, type Terminal, UsageError } from '../../platform/terminal/terminal.ts';
import { type BulkOptions, withStore } from '../open-database.ts';
import { communitiesOf } from './find-community.ts';

/** Members per transaction. */
const membersAtOnce = 20;

/** `tallyhook import --undo ID`. */
export async function undoImport(id: number, { dryRun, yes, json }: BulkOptions, terminal: Terminal): Promise<number> {
  const config = loadConfig(process.env);
  return withStore(config.databaseUrl, async (store) => {
    const stored = (await store.imports.list()).find((each) => each.id === id);
    if (stored === undefined) throw new UsageError(`There is no import ${id}: see --list.`);
    const { name, accounts, state } = stored;
    if (state === 'undone') throw new UsageError(`The import ${id} was undone before.`);
    const what = `${formatCount(stored.credits, 'credit')} and ${formatCount(stored.votes, 'vote')}`;
    if (dryRun) {
      terminal.print(json ? JSON.stringify(stored) : `Would take back ${what} of "${name}", except what was spent.`);
      return exitCode.ok;
    }
    const question = `Take back ${what} of "${name}", except what members have spent?`;
    if (!yes && !(await confirm(question, 'Nothing was taken back.', terminal))) return exitCode.ok;
    // The community may not be configured any more. Then there are no rules for streaks.
    const communities = await communitiesOf(config, store);
    const community = communities.find((each) => each.accounts === accounts);
    const listings = (community?.named ?? []).map(withoutSecrets);
    const target = { importId: id, accounts, listings, reason: `import of ${name}` };
    await store.imports.setState(id, 'undoing', systemClock.now());
    const totals = { members: 0, credits: 0, spent: 0, votes: 0, membersWhoSpent: 0 };
    let othersMembers = 0;
    for (let after = ''; ; ) {
      const members = await store.imports.members(id, after, membersAtOnce);
      if (members.length === 0) break;
      if (terminal.stop.aborted)
        throw new TallyhookError('stopped', 'Stopped.', { hint: 'Run it again: it continues.' });
      const now = systemClock.now();
      const undone = await Promise.all(members.map((accountId) => store.imports.undoMember(target, accountId, now)));
      othersMembers += undone.filter((each) => each === null).length;
      for (const { credits, spent, votes } of undone.filter((each) => each !== null)) {
        totals.members += 1;
        totals.credits += credits;
        totals.spent += spent;
        totals.votes += votes;
        if (spent > 0) totals.membersWhoSpent += 1;
      }
      after = members.at(-1) ?? '';
    }
    if (stored.votes > 0) await store.counters.reset();
    await store.imports.setState(id, 'undone', systemClock.now());
    if (json)
      terminal.print(JSON.stringify({ id, name, guildId: accounts === homeAccounts ? null : accounts, ...totals }));
    else for (const line of formatTotals(totals)) terminal.print(line);
    if (othersMembers > 0)
      terminal.printError('Another undo of this import ran at the same time, and reports the rest.');
    return exitCode.ok;
  });
}

function formatTotals({ members, credits, spent, votes, membersWhoSpent }: Record<string, number>): string[] {
  const taken = `${formatCount(credits ?? 0, 'credit')} and ${formatCount(votes ?? 0, 'vote')}`;
  const lines = [`Took back ${taken} of ${formatCount(members ?? 0, 'member')}.`];
  if (spent) {
    lines.push(
      `${formatCount(membersWhoSpent ?? 0, 'member')} had spent ${formatCount(spent, 'credit')}, which were not taken back.`,
    );
  }
  return lines;
}

/** `tallyhook import --list`. */
export async function listImports(json: boolean, { print }: Terminal): Promise<number> {
  return withStore(loadDatabaseUrl(process.env), async (store) => {
    const imports = await store.imports.list();
    if (json) {
      const rows = imports.map(({ accounts, startedAt, finishedAt, ...row }) => ({
        ...row,
        guildId: accounts === homeAccounts ? null : accounts,
        startedAt: isoTime(startedAt),
        finishedAt: isoTime(finishedAt),
      }));
      print(JSON.stringify(rows, null, 2));
    } else if (imports.length === 0) print('Nothing was imported.');
    else for (const each of imports) print(formatImport(each));
    return exitCode.ok;
  });
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
  return `${id}  ${isoTime(startedAt)}  ${name}${guild}: ${contents} (${states[state]}${rest})`;
}
