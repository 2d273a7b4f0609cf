import type { FailoverResult } from './run-failover.ts';

/** The longest time without an acknowledged vote that a failover may cause (ms). */
export const maxUnavailableMs = 5_000;

/**
 * Whether the failover kept what it must keep. An asynchronous standby does not promise to have every acknowledged vote.
 */
export function isPassed({ unavailable, votes, losses }: FailoverResult, isSynchronous: boolean): boolean {
  const isComplete = losses.lost === 0 && losses.notAnnounced === 0 && votes.abandoned.length === 0;
  const isOnce = losses.paidTwice === 0 && losses.announcedTwice === 0;
  return isOnce && unavailable < maxUnavailableMs && (isComplete || !isSynchronous);
}

/** A table with a column for each round. */
export function renderResults(results: readonly FailoverResult[], isSynchronous: boolean): string {
  const rows: [string, (result: FailoverResult) => string][] = [
    ['votes acknowledged', ({ votes }) => String(votes.acknowledged.size)],
    ['answered with 503 and sent again', ({ votes }) => String(votes.rejected)],
    ['not answered and sent again', ({ votes }) => String(votes.failed)],
    ['failure noticed after', ({ noticedAfter }) => seconds(noticedAfter)],
    ['standby promoted after', ({ promotedAfter }) => seconds(promotedAfter)],
    [`no vote acknowledged for (< ${maxUnavailableMs / 1_000} s)`, ({ unavailable }) => seconds(unavailable)],
    ['never acknowledged', ({ votes }) => String(votes.abandoned.length)],
    ['acknowledged and lost', ({ losses }) => String(losses.lost)],
    ['paid twice', ({ losses }) => String(losses.paidTwice)],
    ['announced twice', ({ losses }) => String(losses.announcedTwice)],
    ['recorded and not announced', ({ losses }) => String(losses.notAnnounced)],
    ['result', (result) => (isPassed(result, isSynchronous) ? 'passed' : 'FAILED')],
  ];
  const width = Math.max(...rows.map(([title]) => title.length));
  const title = `${isSynchronous ? 'Synchronous' : 'Asynchronous'} standby, ${results[0]?.proxy ?? 'no'} proxy`;
  const line = (name: string, cells: readonly string[]) =>
    `${name.padEnd(width)}  ${cells.map((cell) => cell.padStart(8)).join('  ')}`;
  return [title, '', ...rows.map(([name, cell]) => line(name, results.map(cell)))].join('\n');
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}
