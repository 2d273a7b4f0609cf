import { atLeast, atMost, figure, type Goal, type Report, type Table, within } from '../report.ts';
import type { AnnounceDelay } from './announce.ts';
import type { InstallationResult, ScalingResult } from './scaling.ts';

/** The latency that the proxy adds to a round trip, as of a database in another zone (ms). */
export const roundTripMs = 0.75;
/** The time that is added to each commit, as of a slow disk or a synchronous standby (ms). */
export const commitDelayMs = 10;
/** Connections of an installation, whatever its number of receivers. */
export const connections = 64;
/**
 * Connections of each receiver while commits are slow: there the commit is the limit, and one receiver alone could take
 * all connections into one commit.
 */
export const connectionsPerReceiver = 16;
/** Cores that other programs may use before the figures are rough. */
const busyCores = 0.2;

/** Everything that was measured. */
export interface ScaleFigures {
  readonly near: ScalingResult;
  readonly distant: ScalingResult;
  /** At the same distance, with slow commits. */
  readonly slow: ScalingResult;
  readonly burst: {
    readonly votes: number;
    readonly connections: number;
    readonly refused: number;
    readonly seconds: number;
    /** The slowest response (ms). */
    readonly max: number;
  };
  readonly announceDelay: AnnounceDelay;
  /** Of a query without work (ms). */
  readonly roundTrips: { readonly near: number; readonly distant: number };
  /** Of one row (ms). */
  readonly commits: { readonly plain: number; readonly slow: number };
  /** Acknowledged votes that were found in the databases. */
  readonly verified: number;
}

export function report(figures: ScaleFigures): Report {
  const { near, distant, slow, roundTrips, commits } = figures;
  return {
    goals: goals(figures),
    tables: [
      table(
        `Without the proxy: a round trip takes ${figure(roundTrips.near)} ms, one commit ${figure(commits.plain)} ms. ${columns}`,
        near,
      ),
      table(`Through the proxy: a round trip takes ${figure(roundTrips.distant)} ms.`, distant),
      table(
        `The same, where one commit takes ${figure(commits.slow)} ms, with ${connectionsPerReceiver} connections for each process.`,
        slow,
      ),
    ],
    notes: notes(figures),
  };
}

const columns = `${connections} connections, divided among the processes. Times in ms; CPU in µs per vote: of all Node processes, of all processes of PostgreSQL; "cores" in use by the whole benchmark.`;

function goals({ near, distant, slow, burst, announceDelay }: ScaleFigures): Goal[] {
  const one = withReceivers(distant, 1);
  const harness = [near, distant, slow].flatMap(({ installations }) =>
    installations.flatMap(({ load }) => [load.proxy, load.sender]),
  );
  return [
    atLeast(`rate of one process, ${roundTripMs} ms from the database, over the Express sample`, 0.35, one.overExpress),
    atLeast(`rate of two processes over one, ${commitDelayMs} ms more per commit`, 1.7, withReceivers(slow, 2).overOne),
    atLeast(`rate of four processes over one, ${commitDelayMs} ms more per commit`, 3, withReceivers(slow, 4).overOne),
    {
      what: `503s in a burst of ${burst.votes.toLocaleString('en-US')} votes, ${burst.connections} at once, four processes`,
      goal: '0',
      measured: figure(burst.refused),
      met: burst.refused === 0,
    },
    atMost('CPU of Node per vote, of the Express sample per request', 2.4, one.cpuOverExpress.node),
    atMost('CPU of PostgreSQL per vote, of the Express sample per request', 2.4, one.cpuOverExpress.database),
    within('from a vote in one process to its announcement by another, p50', 250, announceDelay.p50, 'ms'),
    within('the longest of them', 250, announceDelay.max, 'ms'),
    within('the busier of load generator and proxy', 0.8, Math.max(...harness), 'cores'),
  ];
}

function withReceivers({ installations }: ScalingResult, count: number): InstallationResult {
  const found = installations.find(({ receivers }) => receivers === count);
  if (found === undefined) throw new Error(`There is no installation of ${count}.`);
  return found;
}

function table(caption: string, { installations, express }: ScalingResult): Table {
  const sample =
    express === null
      ? []
      : [
          [
            'Express sample without storage',
            figure(express.rate),
            '1.00',
            '–',
            figure(express.p50),
            figure(express.p99),
            '0',
            figure(express.cpu),
            '–',
            '–',
          ],
        ];
  return {
    caption,
    columns: ['', 'votes/s', '× Express', '× one', 'p50', 'p99', '503s', 'Node', 'PostgreSQL', 'cores'],
    rows: [
      ...sample,
      ...installations.map((each) => [
        each.receivers === 1 ? 'one process' : `${each.receivers} processes`,
        figure(each.rate),
        Number.isFinite(each.overExpress) ? each.overExpress.toFixed(2) : '–',
        each.overOne.toFixed(2),
        figure(each.p50),
        figure(each.p99),
        String(each.refused),
        figure(each.cpu.node),
        figure(each.cpu.database),
        figure(each.load.own),
      ]),
    ],
  };
}

function notes({ near, distant, slow, burst, announceDelay, verified }: ScaleFigures): string[] {
  const all = [near, distant, slow].flatMap(({ installations }) => installations);
  const others = Math.max(...all.map(({ load }) => load.others));
  const proxy = withReceivers(distant, 1);
  return [
    `The burst took ${figure(burst.seconds)} s; the slowest response took ${figure(burst.max)} ms, and ${figure(burst.refused)} of ${figure(burst.votes)} were 503.`,
    `A vote in one process was announced by another after ${figure(announceDelay.p50)} ms (p50), at most ${figure(announceDelay.max)} ms, of ${announceDelay.votes.sent} votes with pauses.`,
    `The proxy used ${figure(proxy.cpu.proxy)} µs of CPU per vote with one process, ${figure(proxy.load.proxy)} of a core.`,
    `All ${verified.toLocaleString('en-US')} votes that tallyhook acknowledged were found in its databases once: delivery, entry, effect, and balances equal to the sums of the entries.`,
    ...(others > busyCores
      ? [`Warning: other programs used up to ${figure(others)} cores during the runs, so the figures are rough.`]
      : []),
  ];
}
