import { parseArgs } from 'node:util';
import { type Attack, anyAttack } from './attack.ts';
import { chanceFrom } from './chance.ts';
import { keep, readCorpus } from './corpus.ts';
import { mutate } from './mutate.ts';
import { attackAll } from './run.ts';
import { startTarget } from './target.ts';

const help = `npm run fuzz -- [--minutes N] [--seed S]

Sends mutations of test/fuzz/corpus, signed and not, to the real program, and holds its answers against the contract. The same
seed makes the same run. A body that does harm is kept in the corpus, where the tests find it from then on.`;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 32) },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed);
if (values.help || !(minutes > 0) || !Number.isInteger(seed)) {
  console.log(help);
  process.exit(values.help ? 0 : 2);
}

function* mutations(until: number): Generator<Attack> {
  const chance = chanceFrom(seed);
  const corpus = readCorpus();
  while (Date.now() < until) {
    yield anyAttack(mutate(chance.pick(corpus).body, chance, chance.pick(corpus).body), chance);
  }
}

console.log(`seed ${seed}, ${minutes} min`);
const target = await startTarget();
const { harm, taken, sent } = await attackAll(target, mutations(Date.now() + minutes * 60_000));
const faults = await target.inspect(taken);
console.log(`${sent} sent, ${taken} taken`);
if (harm !== null) {
  const { path, signing, chunked, body } = harm.attack;
  console.log(`${path}, signing: ${signing}, ${chunked ? 'chunked' : 'whole'}: ${harm.fault}`);
  console.log(`The body is kept as test/fuzz/corpus/${keep(body)}. Again: --seed ${seed}`);
}
for (const fault of faults) console.log(fault);
process.exitCode = harm === null && faults.length === 0 ? 0 : 1;
