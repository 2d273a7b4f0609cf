import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Of random, generated and slow cases, `npm test` runs one in so many; `npm run test:full` runs all. */
    oneCaseIn: number;
  }
}

const oneCaseIn = inject('oneCaseIn');

/** How many of so many random cases to run. */
export function sampleSize(all: number): number {
  return Math.ceil(all / oneCaseIn);
}

/** The cases to run: always the same, spread over all. */
export function* sample<const Case>(all: Iterable<Case>): Generator<Case> {
  let index = 0;
  for (const each of all) {
    if (index % oneCaseIn === 0) yield each;
    index += 1;
  }
}
