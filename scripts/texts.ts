/**
 * Lists how much of the texts each language has, and what is wrong with them: `npm run texts`. With `--source`, writes the
 * English ones as files for a translators' tool.
 */
import { writeFileSync } from 'node:fs';
import { messagesIn } from '@tallyhook/platform/texts/translations';
import {
  checkedLocales,
  coverageOf,
  type Program,
  problemsOf,
  programs,
  unreadFiles,
  unusedKeys,
} from './texts/check-texts.ts';

const names = Object.keys(programs) as Program[];

if (process.argv.includes('--source')) for (const program of names) writeSource(program);
else process.exitCode = names.map(report).some((hasProblems) => hasProblems) ? 1 : 0;

/** In the format of the other files, which has the forms for numbers beside each other. */
function writeSource(program: Program): void {
  const texts: Record<string, unknown> = {};
  for (const [key, message] of messagesIn(programs[program].catalogue, 'en')) {
    const names = key.split('.');
    const name = names.pop() ?? '';
    let group = texts;
    for (const each of names) {
      group[each] ??= {};
      group = group[each] as Record<string, unknown>;
    }
    group[name] = message;
  }
  writeFileSync(`${programs[program].locales}/en.json`, `${JSON.stringify(texts, null, 2)}\n`);
}

function report(program: Program): boolean {
  const unused = unusedKeys(program).map((key) => `  unused: ${key}`);
  const unread = unreadFiles(program).map(
    (path) => `  ${path}: packages/platform/src/texts/locale.ts has no such language`,
  );
  const languages = checkedLocales.flatMap((locale) => {
    const covered = `${Math.floor(coverageOf(program, locale) * 1_000) / 10} %`;
    return [`  ${locale}: ${covered}`, ...problemsOf(program, locale).map((problem) => `    ${problem}`)];
  });
  process.stdout.write(`${[program, ...unused, ...unread, ...languages].join('\n')}\n`);
  return unused.length + unread.length > 0 || checkedLocales.some((locale) => problemsOf(program, locale).length > 0);
}
