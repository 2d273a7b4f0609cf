import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type Mutation, mutationId } from './mutation.ts';

/** The tests that a mutation meets one after the other. `related`: of `npm test` those nearest to the changed file. */
export const stages = ['related', 'test', 'test:full'] as const;
export type Stage = (typeof stages)[number];

/** How the search for a mutation ended. */
export interface Result {
  readonly id: string;
  readonly file: string;
  readonly breaks: string;
  /** `broken`: no test could run, which proves nothing. */
  readonly outcome: 'found' | 'survived' | 'broken';
  /** The last stage that ran. */
  readonly stage: Stage;
  /** The test that found it, and the first line of its failure. */
  readonly test?: string;
  readonly message?: string;
  readonly seconds: number;
}

/** The results of a run, in a file from which a later run continues. */
export class Results {
  readonly #path: string | undefined;
  readonly #results: Map<string, Result>;

  constructor(path: string | undefined) {
    this.#path = path;
    const stored = path !== undefined && existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Result[]) : [];
    this.#results = new Map(stored.map((result) => [result.id, result]));
  }

  of(mutation: Mutation): Result | undefined {
    return this.#results.get(mutationId(mutation));
  }

  add(result: Result): void {
    this.#results.set(result.id, result);
    if (this.#path === undefined) return;
    writeFileSync(`${this.#path}.new`, `${JSON.stringify([...this.#results.values()], undefined, 2)}\n`);
    renameSync(`${this.#path}.new`, this.#path);
  }
}
