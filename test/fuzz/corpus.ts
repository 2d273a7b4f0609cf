import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const folder = new URL('./corpus/', import.meta.url);

/** A hostile body, and what it is. */
export interface Specimen {
  readonly name: string;
  readonly body: Buffer;
}

export function readCorpus(): [Specimen, ...Specimen[]] {
  const names = readdirSync(folder).filter((name) => !name.startsWith('.'));
  const [first, ...others] = names.sort().map((name) => ({ name, body: readFileSync(new URL(name, folder)) }));
  if (first === undefined) throw new Error('The corpus is empty.');
  return [first, ...others];
}

/** Keeps a body that did harm, under a name to be replaced by what it is. Returns the name. */
export function keep(body: Buffer): string {
  const name = `found-${createHash('sha256').update(body).digest('hex').slice(0, 12)}`;
  writeFileSync(new URL(name, folder), body);
  return name;
}
