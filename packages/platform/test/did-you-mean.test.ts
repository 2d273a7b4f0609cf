import { describe, expect, it } from 'vitest';
import { closest, distance } from '../src/did-you-mean.ts';

describe('the distance of two words', () => {
  it.each([
    ['', '', 0],
    ['', 'abc', 3],
    ['abc', '', 3],
    ['doctor', 'doctor', 0],
    ['docter', 'doctor', 1],
    ['dcotor', 'doctor', 1],
    ['doctr', 'doctor', 1],
    ['doctoor', 'doctor', 1],
    ['kitten', 'sitting', 3],
  ])('%j and %j: %i', (from, to, edits) => {
    expect(distance(from, to)).toBe(edits);
    expect(distance(to, from)).toBe(edits);
  });
});

describe('the closest word', () => {
  const verbs = ['start', 'send', 'backup', 'restore', 'register'];

  it.each([
    ['backpu', 'backup'],
    ['SEND', 'send'],
    ['resotre', 'restore'],
  ])('%s is %s', (word, expected) => expect(closest(word, verbs)).toBe(expected));

  it('is undefined if none is close', () => {
    expect(closest('nonsense', verbs)).toBe(undefined);
    expect(closest('', verbs)).toBe(undefined);
    expect(closest('--nope', ['--name', '--round'])).toBe(undefined);
  });
});
