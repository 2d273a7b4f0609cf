import { randomBytes } from 'node:crypto';
import type { SettingName } from '../../../config/settings.ts';
import type { Finding } from '../../platform/doctor/check.ts';
import { type Terminal, UsageError } from '../../platform/terminal/terminal.ts';
import { ChoiceList, type FetchChoices } from './choices.ts';
import type { createLiveChecks, EnteredValues } from './live-checks.ts';
import type { Prompt } from './prompt.ts';
import { completeAnswer, defaultOf, formatProblem, isSecretSetting, type Question, questions } from './questions.ts';

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
  readonly discordApiUrl: string;
  /** What ids can be chosen from. */
  readonly choices: Partial<Readonly<Record<SettingName, FetchChoices>>>;
  readonly terminal: Terminal;
}

const keyNames: readonly SettingName[] = ['LOOKUP_SERVER_KEY', 'LOOKUP_BOT_KEY'];

/** Asks for each setting until its value is valid. Throws what {@link Prompt.ask} throws. */
export async function answerAll(context: AnswerContext, prompt: Prompt): Promise<Answers> {
  const { terminal, given, isInFile, choices } = context;
  const values = new Map<SettingName, string>();
  const generated = new Set<SettingName>();
  let isLinkedInDiscord: boolean | null = null;
  for (const question of questions) {
    const { name } = question;
    if (question.isOfListing) {
      isLinkedInDiscord ??= await askForLink(context, prompt);
      if (isLinkedInDiscord) continue;
    }
    const fixed = given.get(name);
    if (isInFile(name) || fixed !== undefined) {
      if (fixed !== undefined) await acceptFixed(name, fixed, values, context);
      continue;
    }
    terminal.print(`\n${question.help}`);
    const found = (await choices[name]?.(values)) ?? [];
    const list = found.length > 0 ? new ChoiceList(found) : null;
    list?.print(terminal);
    for (;;) {
      const value = await askOnce(question, list, context, prompt, values, generated);
      if (value === null) break;
      if (value === undefined) continue;
      values.set(name, value);
      break;
    }
  }
  return withSettingsKey({ values, generated }, context);
}

/** Whether the listing is linked in Discord. The default is yes, unless there are settings of a listing. */
async function askForLink({ current, isInFile, terminal }: AnswerContext, prompt: Prompt): Promise<boolean> {
  const hasSettings = questions.some(({ name, isOfListing }) => isOfListing && (current(name) || isInFile(name)));
  terminal.print('\nWith /setup in Discord you paste the API key, and get an address and a secret for the webhook.');
  terminal.print('Otherwise you enter keys, secrets and a channel here.');
  const answer = await prompt.ask(`Link the listing in Discord? ${hasSettings ? '[y/N]' : '[Y/n]'} `);
  return answer === '' ? !hasSettings : /^y(es)?$/i.test(answer);
}

/** The value; null to leave the setting out; undefined to ask again. */
async function askOnce(
  question: Question,
  list: ChoiceList | null,
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
  const typed = await prompt.ask(`${text}${list === null ? '' : ' (number, name or id)'}${shown}: `, isSecret);
  const chosen = typed === '' || list === null ? typed : list.resolve(typed, terminal);
  if (chosen === null) return undefined;
  const answer = completeAnswer(name, chosen || kept || '');
  if (answer === '') {
    if (ifEmpty === 'required') {
      terminal.print('✗ This is needed.');
      return undefined;
    }
    if (ifEmpty !== 'generate') return null;
    generated.add(name);
    terminal.print('✓ Generated.');
    return generateSecret();
  }
  const problem = formatProblem(name, answer, context.discordApiUrl);
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

/**
 * The settings without questions. Without an API key the listing is linked in Discord, which makes its own secrets.
 * @throws UsageError with all values that are missing or invalid
 */
export async function collectAll(context: AnswerContext): Promise<Answers> {
  const { current, isInFile } = context;
  const values = new Map<SettingName, string>();
  const generated = new Set<SettingName>();
  const problems: string[] = [];
  const hasKey = keyNames.some((name) => isInFile(name) || Boolean(current(name)));
  for (const { name, ifEmpty } of questions) {
    if (isInFile(name)) continue;
    const value = current(name);
    if (value === undefined || value === '') {
      if (ifEmpty === 'required') problems.push(`${name} is missing.`);
      if (ifEmpty === 'generate' && hasKey) {
        values.set(name, generateSecret());
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
  if (problems.length > 0) throw new UsageError(`${problems.join('\n')}\nNothing was written.`);
  return withSettingsKey({ values, generated }, context);
}

/** On PostgreSQL, `/setup` can store secrets only with a key, which SQLite has in a file of its own. */
function withSettingsKey({ values, generated }: Answers, { current, isInFile }: AnswerContext): Answers {
  const isSet = (name: SettingName) => values.has(name) || isInFile(name) || Boolean(current(name));
  const database = values.get('DATABASE_URL') ?? current('DATABASE_URL') ?? '';
  const isServer = isInFile('DATABASE_URL') || /^postgres/.test(database);
  if (!isServer || isSet('SETTINGS_KEY')) return { values, generated };
  return {
    values: new Map([...values, ['SETTINGS_KEY', generateSecret()]]),
    generated: new Set([...generated, 'SETTINGS_KEY']),
  };
}

/** 32 bytes in hex: a webhook secret, or an encryption key. */
function generateSecret(): string {
  return randomBytes(32).toString('hex');
}

/** @throws UsageError if the value is invalid */
async function acceptFixed(
  name: SettingName,
  text: string,
  values: Map<SettingName, string>,
  { checks, terminal, discordApiUrl }: AnswerContext,
): Promise<void> {
  const value = completeAnswer(name, text);
  const problem = formatProblem(name, value, discordApiUrl);
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
