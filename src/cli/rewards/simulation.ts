import { type Cause, rewardCauses } from '../../core/ledger/entry.ts';
import type { ReplayContext } from '../../core/rewards/replay-votes.ts';
import type { MemberLedger } from '../../core/store/member-ledgers.ts';
import { pastEventsOf, simulateEntries } from '../../features/backfill/past-events.ts';
import { formatCount } from '../../platform/durations.ts';
import { addEntries, type EntrySum, noEntries } from './history.ts';

/** Credits that a member was paid, and would have been paid under other rules. */
export interface MemberComparison {
  readonly userId: string;
  readonly paid: number;
  readonly simulated: number;
}

/** Compares what members were paid with what other rules would have paid them. */
export function createSimulation(context: Omit<ReplayContext, 'roles'>) {
  const paidByCause = new Map<Cause, EntrySum>();
  const simulatedByCause = new Map<Cause, EntrySum>();
  let members = 0;
  let votes = 0;

  return {
    compare({ userId, roles, entries }: MemberLedger): MemberComparison {
      const past = pastEventsOf(entries);
      const simulated = simulateEntries(userId, past, { ...context, roles: new Set(roles) });
      const paid = entries.filter(({ cause }) => rewardCauses.includes(cause));
      members += 1;
      votes += past.votes.length;
      return { userId, paid: addEntries(paidByCause, paid), simulated: addEntries(simulatedByCause, simulated) };
    },
    /** The result apart from the members. */
    summary() {
      const causes = rewardCauses.map((cause) => ({
        cause,
        paid: paidByCause.get(cause) ?? noEntries,
        simulated: simulatedByCause.get(cause) ?? noEntries,
      }));
      return { members, votes, causes: causes.filter(({ paid, simulated }) => paid.entries + simulated.entries > 0) };
    },
  };
}

type SimulationSummary = ReturnType<ReturnType<typeof createSimulation>['summary']>;

const numbers = new Intl.NumberFormat('en');
const differences = new Intl.NumberFormat('en', { signDisplay: 'exceptZero' });

/** The totals by cause for people, one line each. */
export function formatSummary({ members, votes, causes }: SimulationSummary): string[] {
  const sum = (of: 'paid' | 'simulated') => causes.reduce((total, cause) => total + cause[of].credits, 0);
  const rows = causes.map(({ cause, paid, simulated }) => toRow(cause, paid.credits, simulated.credits));
  return [
    `${formatCount(votes, 'counted vote')} of ${formatCount(members, 'member')}. Credits by cause:`,
    '',
    ...formatTable('cause', [...rows, toRow('total', sum('paid'), sum('simulated'))]),
  ];
}

/** Members for people, one line each, below a title; nothing without members. */
export function formatMembers(title: string, members: readonly MemberComparison[]): string[] {
  if (members.length === 0) return [];
  const rows = members.map(({ userId, paid, simulated }) => toRow(userId, paid, simulated));
  return ['', title, '', ...formatTable('member', rows)];
}

/** Totals by cause and of all causes, for programs. */
export function summaryInJson({ members, votes, causes }: SimulationSummary) {
  const credits = (of: 'paid' | 'simulated') => causes.reduce((total, cause) => total + cause[of].credits, 0);
  return { members, votes, causes, total: { paid: credits('paid'), simulated: credits('simulated') } };
}

function toRow(name: string, paid: number, simulated: number): string[] {
  return [name, numbers.format(paid), numbers.format(simulated), differences.format(simulated - paid)];
}

/** Text in columns: the first one to the left, numbers to the right. */
function formatTable(first: string, rows: readonly (readonly string[])[]): string[] {
  const header = [first, 'paid', 'with these rules', 'difference'];
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('   ')
      .trimEnd(),
  );
}
