/**
 * Proves that the tests find broken code: puts one fault at a time into a copy of the repository, and runs tests until
 * one fails.
 *
 *   node scripts/mutate.ts [--list] [--only TEXT] [--sample N] [--related | --full] [--jobs N] [--report FILE]
 *
 *   --list      lists the mutations and ends, after the check that each still fits its file
 *   --only      only mutations with this text in their file or description
 *   --sample    only N of them, always the same ones, spread over all modules
 *   --related   only the nearest tests of the changed file, at most 8 files; later runs continue from there
 *   --full      then also `npm run test:full`
 *   --jobs      copies in which mutations run at a time, by default 1
 *   --report    writes the results as JSON; a run with results of an earlier one continues
 *
 * Each mutation meets its nearest tests first, then all of `npm test`. A test that fails runs again: it counts if it fails
 * with the mutation again, and passes without it. Exits with 1 if `npm test` finds fewer than 9 of 10, or with --full one
 * survives.
 *
 * StrykerJS does not fit: it makes tens of thousands of mutants by rules instead of the faults that matter here, and its
 * Vitest runner needs `pool: 'threads'`, so that programs in processes of their own, run from a bundle, do not have them.
 */

import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findIssues, type Mutation, mutationId } from './mutate/mutation.ts';
import { mutations } from './mutate/mutations.ts';
import { readSources, relatedTests } from './mutate/related-tests.ts';
import { type Result, Results, type Stage, stages } from './mutate/results.ts';
import { killAll, runTests, type TestRun } from './mutate/run-tests.ts';
import { Tree } from './mutate/tree.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const usage =
  'node scripts/mutate.ts [--list] [--only TEXT] [--sample N] [--related | --full] [--jobs N] [--report FILE]';
/** How many of the nearest tests run at a time: few at first, because most mutations are found by the first ones. */
const relatedBatches = [2, 6] as const;
/** With failures that are not caused by the mutation. */
const maxRuns = 3;
/** The share of mutations that `npm test` must find. */
const minShare = 0.9;

const { values } = parseArgs({
  options: {
    list: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    sample: { type: 'string' },
    related: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '1' },
    report: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const lastStage = values.related ? 'related' : values.full ? 'test:full' : 'test';
// In the order of their ids, which are as good as random: an interrupted run has met all modules.
const selected = mutations
  .filter(({ file, breaks }) => `${file} ${breaks}`.includes(values.only))
  .sort((one, other) => mutationId(one).localeCompare(mutationId(other)))
  .slice(0, values.sample === undefined ? undefined : Number(values.sample));
const issues = findIssues(mutations, root);
/** Files of tests that pass without a mutation. */
const sound = new Set<string>();

if (values.help) console.log(usage);
else if (issues.length > 0) fail(`The mutations do not fit the code:\n${issues.join('\n')}`);
else if (values.list) for (const { file, breaks } of selected) console.log(`${file}: ${breaks}`);
else await run();

async function run(): Promise<void> {
  const sources = readSources(root);
  const results = new Results(values.report);
  const queue = selected.filter((mutation) => stagesFor(results.of(mutation)).length > 0);
  const trees: Tree[] = [];
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      killAll();
      for (const tree of trees) tree.remove();
      process.exit(130);
    });
  }
  const work = async () => {
    const tree = new Tree(root);
    trees.push(tree);
    for (let mutation = queue.shift(); mutation !== undefined; mutation = queue.shift()) {
      const related = relatedTests(mutation.file, sources);
      const result = await search(tree, mutation, related, results.of(mutation));
      results.add(result);
      console.log(renderResult(result));
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.max(1, Number(values.jobs)) }, work));
  } finally {
    for (const tree of trees) tree.remove();
  }
  summarize(selected.flatMap((mutation) => results.of(mutation) ?? []));
}

/** The stages that a mutation has not met yet. */
function stagesFor(earlier: Result | undefined): readonly Stage[] {
  if (earlier?.outcome === 'found') return [];
  const met = earlier?.outcome === 'survived' ? stages.indexOf(earlier.stage) + 1 : 0;
  return stages.slice(met, stages.indexOf(lastStage) + 1);
}

/** Runs tests stage by stage until one fails. */
async function search(
  tree: Tree,
  mutation: Mutation,
  related: readonly string[],
  earlier: Result | undefined,
): Promise<Result> {
  const start = performance.now();
  const { file, breaks } = mutation;
  const result = (stage: Stage, rest: Pick<Result, 'outcome' | 'test' | 'message'>): Result => ({
    id: mutationId(mutation),
    file,
    breaks,
    stage,
    ...rest,
    seconds: Math.round((performance.now() - start) / 1_000) + (earlier?.outcome === 'survived' ? earlier.seconds : 0),
  });
  const [first, second] = relatedBatches;
  const nearest = [related.slice(0, first), related.slice(first, first + second)].filter(({ length }) => length > 0);
  const steps = stagesFor(earlier).flatMap((stage): { stage: Stage; files: readonly string[] }[] =>
    stage === 'related' ? nearest.map((files) => ({ stage, files })) : [{ stage, files: [] }],
  );
  for (const { stage, files } of steps) {
    const script = stage === 'related' ? 'test' : stage;
    const found = await runUntilSure(tree, mutation, script, files);
    if (found.outcome === 'broken') return result(stage, { outcome: 'broken', message: found.message });
    if (found.outcome === 'failed') {
      return result(stage, { outcome: 'found', test: found.test, message: found.message });
    }
  }
  return result(lastStage, { outcome: 'survived' });
}

/** A failure that does not repeat, or has another cause, ends a run too early, so that it is run again. */
async function runUntilSure(
  tree: Tree,
  mutation: Mutation,
  script: string,
  files: readonly string[],
): Promise<TestRun> {
  for (let run = 1; run <= maxRuns; run += 1) {
    const [first, again] = await tree.with(mutation, async () => {
      const result = await runTests(tree, script, files);
      const isFailed = result.outcome === 'failed' && result.file !== null;
      return [result, isFailed ? await runTests(tree, script, [result.file]) : null] as const;
    });
    if (first.outcome !== 'failed' || first.file === null) return first;
    if (again?.outcome === 'failed' && (await passesWithout(tree, script, first.file))) return again;
    console.log(`          not counted: ${first.test}: ${first.message}`);
  }
  return { outcome: 'passed' };
}

/** The result is the same for all mutations. */
async function passesWithout(tree: Tree, script: string, file: string): Promise<boolean> {
  if (!sound.has(file) && (await runTests(tree, script, [file])).outcome === 'passed') sound.add(file);
  return sound.has(file);
}

function renderResult({ file, breaks, outcome, stage, test, message, seconds }: Result): string {
  const command = stage === 'related' ? 'npm test' : `npm run ${stage}`;
  const after = `after ${seconds} s`;
  if (outcome === 'found')
    return `found     ${file}: ${breaks}\n          by ${command}, ${after}: ${test}\n          ${message}`;
  if (outcome === 'broken') return `BROKEN    ${file}: ${breaks}\n${message}`;
  return `SURVIVED  ${file}: ${breaks}\n          ${stage === 'related' ? 'its nearest tests' : command}, ${after}`;
}

function summarize(results: readonly Result[]): void {
  const found = (...of: readonly Stage[]) =>
    results.filter(({ outcome, stage }) => outcome === 'found' && of.includes(stage)).length;
  const share = (count: number) => `${count} of ${results.length} (${((100 * count) / results.length).toFixed(0)} %)`;
  const byTest = found('related', 'test');
  console.log(`\nThe nearest tests find ${share(found('related'))}, npm test at least ${share(byTest)}.`);
  if (values.full) console.log(`npm test and npm run test:full find ${share(byTest + found('test:full'))}.`);
  const rest = results.filter(({ outcome }) => outcome !== 'found');
  for (const { file, breaks, outcome } of rest) console.log(`${outcome}: ${file}: ${breaks}`);
  if (values.full ? rest.length > 0 : byTest < minShare * results.length) process.exitCode = 1;
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
