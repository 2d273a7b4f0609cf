import { randomBytes } from 'node:crypto';
import type { SettingName } from '../../../config/settings.ts';
import type { Finding } from '../../doctor/finding.ts';
import { type Terminal, UsageError } from '../../terminal/terminal.ts';
import type { createLiveChecks, EnteredValues } from './live-checks.ts';
import type { Prompt } from './prompt.ts';
import { defaultOf, formatProblem, isSecretSetting, type Question, questions } from './questions.ts';

/** The values of settings, and which of them were generated. */
export interface Answers {
  readonly values: EnteredValues;
  readonly generated: ReadonlySet<SettingName>;
}

export interface AnswerContext {
  /** Settings that are not asked for. */
  readonly given: ReadonlyMap<SettingName, string>;
  /** The value that a setting has, wherever it is from. */
  current(name: SettingName): string | undefined;
  /** Whether the value is in a file of its own (`NAME_FILE`). */
  isInFile(name: SettingName): boolean;
  readonly checks: ReturnType<typeof createLiveChecks>;
  readonly terminal: Terminal;
}

const keyNames: readonly SettingName[] = ['LOOKUP_SERVER_KEY', 'LOOKUP_BOT_KEY'];

/** Asks for each setting until its value is valid. Throws what {@link Prompt.ask} throws. */
export async function answerAll(context: AnswerContext, prompt: Prompt): Promise<Answers> {
  const { terminal, given, isInFile } = context;
  const values = new Map<SettingName, string>();
  const generated = new Set<SettingName>();
  for (const question of questions) {
    const { name } = question;
    const fixed = given.get(name);
    if (isInFile(name) || fixed !== undefined) {
      if (fixed !== undefined) await acceptFixed(name, fixed, values, context);
      continue;
    }
    terminal.print(`\n${question.help}`);
    for (;;) {
      const value = await askOnce(question, context, prompt, values, generated);
      if (value === null) break;
      if (value === undefined) continue;
      values.set(name, value);
      break;
    }
  }
  return { values, generated };
}

/** The value; null to leave the setting out; undefined to ask again. */
async function askOnce(
  question: Question,
  context: AnswerContext,
  prompt: Prompt,
  values: EnteredValues,
  generated: Set<SettingName>,
): Promise<string | null | undefined> {
  const { name, text, ifEmpty } = question;
  const { terminal, checks } = context;
  const isSecret = isSecretSetting(name);
  const kept = context.current(name) || defaultOf(name);
  const shown = kept === undefined ? '' : isSecret && kept !== defaultOf(name) ? ' [keep]' : ` [${kept}]`;
  const answer = (await prompt.ask(`${text}${shown}: `, isSecret)) || kept || '';
  if (answer === '') {
    const lacksKey =
      name === 'LOOKUP_BOT_KEY' && !values.has('LOOKUP_SERVER_KEY') && !context.isInFile('LOOKUP_SERVER_KEY');
    if (ifEmpty === 'required' || lacksKey) {
      terminal.print(lacksKey ? '✗ At least one of the API keys is needed.' : '✗ This is needed.');
      return undefined;
    }
    if (ifEmpty !== 'generate') return null;
    generated.add(name);
    terminal.print('✓ Generated.');
    return randomBytes(32).toString('hex');
  }
  const problem = formatProblem(name, answer);
  if (problem !== null) {
    terminal.print(`✗ ${problem}`);
    return undefined;
  }
  const findings = (await checks[name]?.(answer, values)) ?? [];
  for (const finding of findings) terminal.print(formatFinding(finding));
  if (findings.some(({ level }) => level === 'fail')) return undefined;
  // A default is left out: the image of the program has others, which the file would override.
  return ifEmpty === 'default' && answer === defaultOf(name) && !context.current(name) ? null : answer;
}

/** The settings without questions. @throws UsageError with all values that are missing or invalid */
export async function collectAll(context: AnswerContext): Promise<Answers> {
  const values = new Map<SettingName, string>();
  const generated = new Set<SettingName>();
  const problems: string[] = [];
  for (const { name, ifEmpty } of questions) {
    if (context.isInFile(name)) continue;
    const value = context.current(name);
    if (value === undefined || value === '') {
      if (ifEmpty === 'required') problems.push(`${name} is missing.`);
      if (ifEmpty === 'generate') {
        values.set(name, randomBytes(32).toString('hex'));
        generated.add(name);
      }
      continue;
    }
    try {
      await acceptFixed(name, value, values, context);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push(error.message);
    }
  }
  if (!keyNames.some((name) => values.has(name) || context.isInFile(name) || Boolean(context.current(name)))) {
    problems.push(`${keyNames.join(' or ')} is missing.`);
  }
  if (problems.length > 0) throw new UsageError(`${problems.join('\n')}\nNothing was written.`);
  return { values, generated };
}

/** @throws UsageError if the value is invalid */
async function acceptFixed(
  name: SettingName,
  value: string,
  values: Map<SettingName, string>,
  { checks, terminal }: AnswerContext,
): Promise<void> {
  const problem = formatProblem(name, value);
  if (problem !== null) throw new UsageError(`${name}: ${problem}`);
  for (const finding of (await checks[name]?.(value, values)) ?? []) {
    if (finding.level === 'fail') throw new UsageError(`${name}: ${finding.message} ${finding.hint ?? ''}`.trimEnd());
    terminal.printError(`${name}: ${formatFinding(finding)}`);
  }
  values.set(name, value);
}

function formatFinding({ level, message, hint }: Finding): string {
  const sign = { pass: '✓', warn: '!', fail: '✗' }[level];
  return `${sign} ${message}${hint === null ? '' : ` ${hint}`}`;
}
