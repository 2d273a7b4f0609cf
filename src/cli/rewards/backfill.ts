import { loadConfig } from '../../../config/load.ts';
import type { BackfilledMember } from '../../features/backfill/planner.ts';
import type { Store } from '../../features/store.ts';
import { systemClock } from '../../platform/clock.ts';
import { formatCount } from '../../platform/durations.ts';
import { confirm } from '../../platform/terminal/confirm.ts';
import { startProgress } from '../../platform/terminal/progress.ts';
import { exitCode, type Terminal } from '../../platform/terminal/terminal.ts';
import { type BulkOptions, withLedger, withStore } from '../open-database.ts';
import { BackfillTotals, type PlannedBackfill, planAll } from './backfill-plan.ts';

/** Members per transaction: some ms, in which votes wait. */
const membersAtOnce = 20;

/** `tallyhook rewards backfill`. */
export async function backfillRewards({ dryRun, yes, json }: BulkOptions, terminal: Terminal): Promise<number> {
  const config = loadConfig(process.env);
  const totals = new BackfillTotals();
  const planned = await withLedger(config.databaseUrl, { older: false }, (snapshot) =>
    planAll(snapshot, config, totals, terminal),
  );
  if (dryRun || totals.members === 0) {
    printTotals(totals, { isPaid: false, json }, terminal);
    return exitCode.ok;
  }
  if (!yes) {
    for (const line of formatTotals(totals, false)) terminal.printError(line);
    if (!(await confirm('Pay this now?', 'Nothing was paid.', terminal))) return exitCode.ok;
  }
  const paid = await payAll(config.databaseUrl, planned, terminal);
  printTotals(paid, { isPaid: true, json }, terminal);
  if (!terminal.stop.aborted) return exitCode.ok;
  terminal.printError('Stopped before all members were paid. Run it again: it pays what is left.');
  return exitCode.runtimeError;
}

async function payAll(url: string, planned: readonly PlannedBackfill[], terminal: Terminal): Promise<BackfillTotals> {
  const totals = new BackfillTotals();
  const members = planned.reduce((sum, { userIds }) => sum + userIds.length, 0);
  const progress = startProgress(terminal, { label: 'Paying', unit: 'members', total: members });
  let done = 0;
  const payment = withStore(url, async (store) => {
    for (const plan of planned) {
      await payCommunity(store, plan, {
        stop: terminal.stop,
        onPaid({ entries, roles }) {
          totals.addMember(entries, roles);
          done += 1;
          progress.advanceTo(done);
        },
      });
    }
  });
  await payment.finally(progress.end);
  return totals;
}

async function payCommunity(
  { backfill }: Pick<Store, 'backfill'>,
  { rules, userIds }: PlannedBackfill,
  { stop, onPaid }: { readonly stop: AbortSignal; readonly onPaid: (member: BackfilledMember) => void },
): Promise<void> {
  if (stop.aborted) return;
  await backfill.saveGoals(rules);
  for (let index = 0; index < userIds.length && !stop.aborted; index += membersAtOnce) {
    const members = userIds.slice(index, index + membersAtOnce);
    const now = systemClock.now();
    for (const paid of await Promise.all(members.map((userId) => backfill.backfillMember(userId, rules, now)))) {
      onPaid(paid);
    }
  }
}

function printTotals(
  totals: BackfillTotals,
  { isPaid, json }: { readonly isPaid: boolean; readonly json: boolean },
  { print }: Terminal,
): void {
  if (json) {
    const { members, roles, causes } = totals;
    const byCause = [...causes].map(([cause, sum]) => ({ cause, ...sum }));
    print(JSON.stringify({ paid: isPaid, members, roles, causes: byCause }));
    return;
  }
  for (const line of formatTotals(totals, isPaid)) print(line);
}

function formatTotals({ members, roles, causes }: BackfillTotals, isPaid: boolean): string[] {
  if (members === 0) return ['Nothing is owed for the time before the rules.'];
  const credits = [...causes.values()].reduce((sum, cause) => sum + cause.credits, 0);
  const total = `${formatCount(credits, 'credit')} and ${formatCount(roles, 'role')}`;
  const verb = isPaid ? 'received' : 'would receive';
  return [
    `${formatCount(members, 'member')} ${verb} ${total} for the time before the rules.`,
    ...[...causes].map(([cause, sum]) => {
      return `  ${cause}: ${formatCount(sum.credits, 'credit')} in ${formatCount(sum.entries, 'entry', 'entries')}`;
    }),
  ];
}
