import { expect, it } from 'vitest';
import { parseArguments } from '../../bench/command-line.ts';

const known = ['receive', 'start'];

it('all benchmarks run if none is named', () => {
  expect(parseArguments([], known).names).toEqual(known);
  expect(parseArguments(['start', '--quick'], known)).toMatchObject({ names: ['start'], quick: true, write: false });
});

it('an unknown benchmark or option is an error, and so is a profile for the README', () => {
  expect(() => parseArguments(['run'], known)).toThrow('There is no benchmark "run"');
  expect(() => parseArguments(['--fast'], known)).toThrow('--fast');
  expect(() => parseArguments(['--profile', '--write'], known)).toThrow('leave out --write');
});
