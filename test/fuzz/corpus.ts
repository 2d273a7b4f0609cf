import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const folder = new URL('./corpus/', import.meta.url);

/** A hostile body with a descriptive name. */
export interface CorpusEntry {
  readonly name: string;
  readonly body: Buffer;
}

export function readCorpus(): [CorpusEntry, ...CorpusEntry[]] {
  const names = readdirSync(folder).filter((name) => !name.startsWith('.'));
  const [first, ...others] = names.sort().map((name) => ({ name, body: readFileSync(new URL(name, folder)) }));
  if (first === undefined) throw new Error('The corpus is empty.');
  return [first, ...others];
}

/** Stores a body that violated the contract. Returns the file name, which should be replaced by a descriptive one. */
export function saveToCorpus(body: Buffer): string {
  const name = `found-${createHash('sha256').update(body).digest('hex').slice(0, 12)}`;
  writeFileSync(new URL(name, folder), body);
  return name;
}
