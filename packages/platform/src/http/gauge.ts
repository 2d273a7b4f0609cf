import { Gauge, type Registry } from 'prom-client';

/** The reading of a gauge: a value, values by label, or null for no series. */
type Reading = number | null | Readonly<Record<string, number>>;

export interface GaugeOptions {
  readonly name: string;
  readonly help: string;
  readonly label?: string;
  /** Called at each scrape: it is cheap, and may reject. */
  readonly read: () => Reading | Promise<Reading>;
}

/** A gauge that is read at each scrape. If that fails, one without a label is NaN, and one with a label has no series. */
export function addGauge(registry: Registry, { name, help, label, read }: GaugeOptions): void {
  new Gauge({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [registry],
    async collect() {
      const reading = await readSafely(read);
      this.reset();
      if (label === undefined) {
        if (typeof reading === 'number') this.set(reading);
        else this.remove();
      } else {
        for (const [value, number] of Object.entries(reading ?? {})) this.set({ [label]: value }, number);
      }
    },
  });
}

/** NaN has no entries. */
async function readSafely(read: GaugeOptions['read']): Promise<Reading> {
  try {
    return await read();
  } catch {
    return Number.NaN;
  }
}
