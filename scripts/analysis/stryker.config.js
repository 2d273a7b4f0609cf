/**
 * `npm run mutate`: breaks src/core and src/webhook line by line, and names the mutants that no test kills. The write
 * worker of a test runs without the mutant, as it is a thread of its own.
 * `npm run mutate -- --mutate src/core/rewards/streak.ts --testFiles 'test/core/rewards/*.test.ts'` breaks one file, and asks
 * the tests beside it alone.
 */
export default {
  mutate: ['src/core/**/*.ts', 'src/webhook/**/*.ts'],
  testRunner: 'vitest',
  vitest: { configFile: 'scripts/analysis/vitest.config.ts', pool: 'forks' },
  // Node strips the types. Stryker would rewrite a tsconfig.json with the API that TypeScript 7 no longer has.
  disableTypeChecks: false,
  tsconfigFile: 'none',
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  ignorePatterns: ['artifacts', 'coverage', 'data', 'dist', 'site', 'bench', 'docs'],
  tempDirName: 'artifacts/stryker',
  reporters: ['clear-text', 'html'],
  htmlReporter: { fileName: 'artifacts/mutants.html' },
  clearTextReporter: { reportTests: false, allowEmojis: false },
  concurrency: 2,
  dryRunTimeoutMinutes: 30,
  allowEmpty: true,
};
