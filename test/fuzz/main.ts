import { parseArgs } from 'node:util';
import { readCorpus, saveToCorpus } from './corpus.ts';
import { type FuzzRequest, randomRequest } from './fuzz-request.ts';
import { mutate } from './mutate.ts';
import { createRandom } from './random.ts';
import { sendAll } from './send-all.ts';
import { startTarget } from './target.ts';

const help = `npm run fuzz -- [--minutes N] [--seed S]

Sends mutations of test/fuzz/corpus, signed and unsigned, to the program and checks each response against the contract.
The same seed produces the same requests. A body that violates the contract is added to the corpus, which the tests send.`;

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

function* randomRequests(until: number): Generator<FuzzRequest> {
  const random = createRandom(seed);
  const corpus = readCorpus();
  while (Date.now() < until) {
    yield randomRequest(mutate(random.pick(corpus).body, random, random.pick(corpus).body), random);
  }
}

console.log(`seed ${seed}, ${minutes} min`);
const target = await startTarget();
const { violation, accepted, sent } = await sendAll(target, randomRequests(Date.now() + minutes * 60_000));
const issues = await target.inspect(accepted);
console.log(`${sent} sent, ${accepted} accepted`);
if (violation !== null) {
  const { path, signing, chunked, body } = violation.request;
  console.log(`${path}, signing: ${signing}, ${chunked ? 'chunked' : 'not chunked'}: ${violation.message}`);
  console.log(`The body is stored as test/fuzz/corpus/${saveToCorpus(body)}. Reproduce: --seed ${seed}`);
}
for (const issue of issues) console.log(issue);
process.exitCode = violation === null && issues.length === 0 ? 0 : 1;
