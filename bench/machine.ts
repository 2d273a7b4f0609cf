import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { median } from './samples.ts';

/** What the figures were measured on, in one line for the README. */
export function machine(directory: string): string {
  const [cpu] = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return [
    `${cpus().length} × ${cpu?.model.trim() ?? 'unknown CPU'}`,
    `${gigabytes} GB`,
    `${process.platform} ${process.arch}`,
    `Node ${process.versions.node}`,
    `a 4 KB write and fdatasync takes ${syncTime(directory).toFixed(2)} ms`,
  ].join(' · ');
}

/** How many others args to run in the last minute, per CPU; above a quarter the figures are rough. */
export function busyness(): number {
  return (loadavg()[0] ?? 0) / cpus().length;
}

/** How long the disk takes to make a page durable (ms, median): durable figures compare only where this is alike. */
function syncTime(directory: string): number {
  const path = join(directory, 'sync-time');
  const file = openSync(path, 'w');
  const page = Buffer.alloc(4_096, 1);
  const times = Array.from({ length: 100 }, (_, at) => {
    const began = performance.now();
    writeSync(file, page, 0, page.length, at * page.length);
    fdatasyncSync(file);
    return performance.now() - began;
  });
  closeSync(file);
  rmSync(path);
  return median(times);
}
