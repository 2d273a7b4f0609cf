import { describe, expect, it } from 'vitest';
import { type Attack, anyAttack, paths, signings } from './attack.ts';
import { chanceFrom } from './chance.ts';
import { readCorpus } from './corpus.ts';
import { mutate } from './mutate.ts';
import { attackAll } from './run.ts';
import { startTarget } from './target.ts';

const corpus = readCorpus();

/** Every body on every path, signed in every way. */
function* allOfThem(): Generator<Attack> {
  for (const { body } of corpus)
    for (const path of paths) for (const signing of signings) yield { path, signing, body, chunked: false };
}

function* someMutations(count: number, seed: number): Generator<Attack> {
  const chance = chanceFrom(seed);
  for (let made = 0; made < count; made += 1) {
    yield anyAttack(mutate(chance.pick(corpus).body, chance, chance.pick(corpus).body), chance);
  }
}

describe('the program', { timeout: 120_000 }, () => {
  it.each([
    ['all of the corpus', allOfThem],
    ['mutations of it', () => someMutations(1_000, 1)],
  ])(
    'answers %s by the contract, keeps a row for each that it takes, and its books balance',
    async (_what, attacks) => {
      const target = await startTarget();
      const { harm, taken } = await attackAll(target, attacks());
      expect(await target.inspect(taken)).toEqual([]);
      expect(harm).toBe(null);
      expect(taken).toBeGreaterThan(30);
    },
  );
});

describe('the corpus', () => {
  it('is named by what it is', () => {
    expect(corpus.map(({ name }) => name).filter((name) => !/^[a-z][a-z\d-]+$/.test(name))).toEqual([]);
    expect(corpus.map(({ name }) => name).filter((name) => name.startsWith('found-'))).toEqual([]);
  });
});
