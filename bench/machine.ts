import { cpus, loadavg, totalmem } from 'node:os';

/** The machine in a few words: the number of its processors and their make. */
export function machineName(): string {
  const [cpu] = cpus();
  const make = cpu?.model
    .replace(/\(\w+\)|Processor|CPU|@.*/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return `${cpus().length} × ${make || 'unknown'}`;
}

/** The rest of what figures depend on, in one line. */
export function machineDetails(): string {
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${gigabytes} GB · ${process.platform} ${process.arch} · Node ${process.versions.node}`;
}

/** Load average of the last minute per CPU; above 0.25 the figures are rough. */
export function busyness(): number {
  return (loadavg()[0] ?? 0) / cpus().length;
}
