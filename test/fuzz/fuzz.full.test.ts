import { sample, sampleSize } from '@tallyhook/platform/testing/sample';
import { describe, expect, it } from 'vitest';
import { readCorpus } from './corpus.ts';
import { type FuzzRequest, paths, randomRequest, signings } from './fuzz-request.ts';
import { mutate } from './mutate.ts';
import { createRandom } from './random.ts';
import { sendAll } from './send-all.ts';
import { startTarget } from './target.ts';

const corpus = readCorpus();

/** Every body on every path, signed in every way. */
function* corpusRequests(): Generator<FuzzRequest> {
  for (const { body } of corpus)
    for (const path of paths) for (const signing of signings) yield { path, signing, body, chunked: false };
}

function* mutatedRequests(count: number, seed: number): Generator<FuzzRequest> {
  const random = createRandom(seed);
  for (let index = 0; index < count; index += 1) {
    yield randomRequest(mutate(random.pick(corpus).body, random, random.pick(corpus).body), random);
  }
}

describe('the program', { timeout: 120_000 }, () => {
  it.each([
    ['the complete corpus', corpusRequests],
    ['mutations of the corpus', () => mutatedRequests(1_000, 1)],
  ])(
    'responds to %s by the contract, logs each accepted delivery, and its balances equal the sums of their entries',
    async (_name, requests) => {
      const target = await startTarget();
      const { violation, accepted } = await sendAll(target, sample(requests()));
      expect(await target.inspect(accepted)).toEqual([]);
      expect(violation).toBe(null);
      expect(accepted).toBeGreaterThan(sampleSize(150));
    },
  );
});

describe('the corpus', () => {
  it('has a descriptive name for each body', () => {
    expect(corpus.map(({ name }) => name).filter((name) => !/^[a-z][a-z\d-]+$/.test(name))).toEqual([]);
    expect(corpus.map(({ name }) => name).filter((name) => name.startsWith('found-'))).toEqual([]);
  });
});
