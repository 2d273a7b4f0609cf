import { figure, type Table } from '../report.ts';
import type { ContenderResult, RunKind } from './compare.ts';

/** @param saturated the runs whose figures count */
export function tables(results: readonly ContenderResult[], saturated: RunKind): Table[] {
  return [rates(results, saturated), cpu(results, saturated)];
}

function rates(results: readonly ContenderResult[], saturated: RunKind): Table {
  const sender = saturated === 'wrk' ? 'wrk' : 'our own sender';
  return {
    caption:
      `64 connections, distinct signed votes of about 190 bytes, one process each, saturated by ${sender}. "own" is ` +
      'our own sender, which takes more of the CPU; "half" is half of the Express sample\'s rate. Times in ms.',
    columns: ['', 'req/s', '× Express', '× bare', 'p50', 'p99', 'own', 'p50 half', 'p99 half', 'MB', 'durable'],
    rows: results.map(({ contender, of, over, resident }) => {
      const [main, half] = [of(saturated), of('half')];
      return [
        contender.title,
        cell(main?.rate),
        over('express', saturated, 'rate').toFixed(2),
        over('bare-http', saturated, 'rate').toFixed(2),
        cell(main?.p50),
        cell(main?.p99),
        cell(of('own')?.rate),
        cell(half?.p50),
        cell(half?.p99),
        figure(resident),
        contender.isDurable ? 'yes' : 'no',
      ];
    }),
  };
}

function cpu(results: readonly ContenderResult[], saturated: RunKind): Table {
  return {
    caption:
      'CPU per request in the same runs, µs: the server\'s process, and in it the main thread, the writer thread, and "V8", ' +
      'the threads of V8 and libuv; the sender; main and writer thread at half load.',
    columns: ['', 'server', 'main', 'writer', 'V8', 'sender', 'own sender', 'main half', 'writer half'],
    rows: results.map(({ contender, of }) => {
      const [main, half] = [of(saturated), of('half')];
      return [
        contender.title,
        cell(main?.cpu),
        cell(main?.mainCpu),
        cell(main?.workerCpu),
        cell(main?.otherCpu),
        cell(main?.senderCpu),
        cell(of('own')?.senderCpu),
        cell(half?.mainCpu),
        cell(half?.workerCpu),
      ];
    }),
  };
}

function cell(value: number | undefined): string {
  return figure(value ?? Number.NaN);
}
