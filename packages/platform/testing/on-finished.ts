import { afterAll, beforeAll, onTestFinished } from 'vitest';

type End = () => unknown;

let ofFile: End[] | undefined;

/** Calls `end` when the test has finished; of what is {@link sharedByTests}, after the last test. */
export function onFinished(end: End): void {
  if (ofFile !== undefined) ofFile.push(end);
  else onTestFinished(async () => void (await end()));
}

/**
 * Starts, before the first test, what all tests of a file use without disturbing each other. What it starts ends with
 * {@link onFinished}.
 */
export function sharedByTests<Value>(start: () => Promise<Value>): () => Value {
  const ends: End[] = [];
  let value: { readonly started: Value } | undefined;
  beforeAll(async () => {
    ofFile = ends;
    value = { started: await start().finally(() => (ofFile = undefined)) };
  });
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });
  return () => {
    if (value === undefined) throw new Error('It has not started.');
    return value.started;
  };
}
