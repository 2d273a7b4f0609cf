import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { TallyhookError } from '@tallyhook/platform/errors';
import {
  exitCode,
  programName,
  type Terminal,
  UsageError,
  withSuggestion,
} from '@tallyhook/platform/terminal/terminal';
import { wrapLines } from '@tallyhook/platform/terminal/wrap-lines';
import { readTextFile, UnreadableFileError } from '@tallyhook/platform/text-file';
import type { Environment } from '../../../config/environment.ts';
import { schemaAddress } from '../../../config/listings-file.ts';
import { type SettingName, settingNames } from '../../../config/settings.ts';
import { createPrompt, isTerminal } from '../prompt.ts';
import {
  type Answers,
  answerAll,
  collectAll,
  createChoices,
  createLiveChecks,
  defaultOf,
  isSecretSetting,
  listed,
} from './answers.ts';

interface InitOptions {
  readonly file: string;
  readonly set?: readonly string[];
  readonly offline?: boolean;
  readonly yes?: boolean;
}

export async function init(options: InitOptions, ownTerminal: Terminal): Promise<number> {
  const terminal = wrapLines(ownTerminal);
  const { yes, offline, file } = options;
  if (!yes && !isTerminal(terminal)) {
    throw new UsageError(
      'There is no terminal to ask questions. Use --yes, with the settings in the environment or as --set NAME=VALUE.',
    );
  }
  const given = new Map(parseAssignments(options.set ?? []));
  const before = readEnvFile(file);
  const stored = parseEnv(before ?? '');
  const current = (name: SettingName) => given.get(name) ?? stored[name] ?? (process.env[name] || undefined);
  const apiUrl = current('DISCORD_API_URL') ?? defaultOf('DISCORD_API_URL') ?? '';
  const checks = offline ? {} : createLiveChecks(apiUrl);
  const choices = offline ? {} : createChoices(apiUrl);
  const isInFile = (name: SettingName) => Boolean(stored[`${name}_FILE`] ?? process.env[`${name}_FILE`]);
  const context = { given, current, isInFile, checks, choices, terminal, discordApiUrl: apiUrl };

  const prompt = yes ? null : createPrompt(terminal);
  if (prompt !== null) printIntroduction(file, before !== null, terminal);
  const answers = prompt === null ? await collectAll(context) : await answerAll(context, prompt);
  const changes = new Map([...given, ...answers.values].filter(([name, value]) => stored[name] !== value));
  const text = mergeEnv(before ?? envTemplate(), changes);
  if (changes.size === 0) terminal.print(`${file} has all of this already.`);
  else {
    for (const [name, value] of changes) terminal.print(`  ${describeChange(name, stored[name], value)}`);
    const question = `${before === null ? 'Write' : 'Change'} ${resolve(file)}?`;
    if (prompt !== null && !(await prompt.confirm(question))) {
      terminal.print('Nothing was written.');
      return exitCode.ok;
    }
    writeEnvFile(file, text);
    terminal.print(`Wrote ${resolve(file)}.`);
  }
  const written = parseEnv(text);
  const listings = written['TALLYHOOK_CONFIG'];
  if (listings && createListingsFile(listings)) {
    terminal.print(`Wrote ${resolve(listings)}: list your servers and bots there. Editors complete what it has.`);
  }
  const steps = nextSteps(written, answers, process.env['npm_lifecycle_event']);
  for (const line of steps) terminal.print(line);
  return exitCode.ok;
}

function printIntroduction(file: string, exists: boolean, { print }: Terminal): void {
  print('This asks for the settings of tallyhook, checks them, and writes them to a file. Ctrl-C stops it.');
  print(exists ? `${file} exists: press Enter to keep a value.` : `It will create ${resolve(file)}.`);
}

function parseAssignments(texts: readonly string[]): (readonly [SettingName, string])[] {
  return texts.map((text) => {
    const at = text.indexOf('=');
    const name = settingNames.find((each) => each === text.slice(0, Math.max(0, at)));
    if (name === undefined) {
      const wanted = at === -1 ? text : text.slice(0, at);
      throw new UsageError(
        withSuggestion(`--set needs NAME=VALUE, and there is no "${wanted}".`, wanted, settingNames),
      );
    }
    return [name, text.slice(at + 1)];
  });
}

function describeChange(name: SettingName, before: string | undefined, value: string): string {
  const isNew = before === undefined || before === '';
  if (isSecretSetting(name)) return `${name}: ${isNew ? 'set' : 'changed'}`;
  return `${name}: ${isNew ? '' : `${before} → `}${value}`;
}

/** How to make an address public: a page of the documents, which the package does not contain. */
const hostingPage = 'https://github.com/tallyhook/tallyhook/blob/main/docs/hosting/README.md';

function nextSteps(values: Environment, { generated, sites }: Answers, script?: string): string[] {
  const { PUBLIC_URL: publicUrl, PORT: port = defaultOf('PORT'), VOTE_WEBHOOK_SECRET: secret } = values;
  const address = (publicUrl || `https://your.domain`).replace(/(?<!\/)\/+$/, '');
  const program = programName(script);
  const isLinkedInDiscord = !secret && !values['VOTE_WEBHOOK_SECRET_FILE'] && !values['TALLYHOOK_CONFIG'];
  const linked = sites.length === 0 ? 'the listing' : `your listing on ${listed(sites)}`;
  return [
    '',
    'Next:',
    `  1. ${program} doctor     checks the whole installation`,
    `  2. ${program} start      receives votes and runs the bot`,
    ...(isLinkedInDiscord
      ? [`  3. Use /setup in your Discord server: it links ${linked}, and shows its webhook address and secret`]
      : [`  3. At the service, set the webhook URL to ${address}/webhooks`]),
    ...(publicUrl
      ? []
      : [
          `     (a public address has to lead to http://127.0.0.1:${port}: ${hostingPage};`,
          isLinkedInDiscord
            ? '     set PUBLIC_URL to it, so that /setup shows whole addresses)'
            : '     it replaces your.domain)',
        ]),
    ...(generated.has('VOTE_WEBHOOK_SECRET') && secret ? [`     and the secret for votes to ${secret}`] : []),
    ...(generated.has('SETTINGS_KEY')
      ? ['', 'SETTINGS_KEY encrypts what /setup stores: keep a copy, and use the same one in every process.']
      : []),
  ];
}

/** Creates the file of `TALLYHOOK_CONFIG`, with its schema and without listings. False if there is one. */
function createListingsFile(path: string): boolean {
  if (existsSync(path)) return false;
  const text = `${JSON.stringify({ $schema: schemaAddress, listings: [] }, null, 2)}\n`;
  writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
  return true;
}

/** The content of a file `.env`; null if there is none. @throws UnreadableFileError */
export function readEnvFile(path: string): string | null {
  try {
    return readTextFile(path);
  } catch (error) {
    if (error instanceof UnreadableFileError && error.isMissing) return null;
    throw error;
  }
}

/**
 * The text with these values. Comments and other values stay. A value replaces that of the same name, or follows the
 * comment with an example of it (`#NAME=`), or is added at the end.
 * @throws TallyhookError `unreadable_file` if a value cannot be written so that it is read again
 */
export function mergeEnv(text: string, values: ReadonlyMap<string, string>): string {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  for (const [name, value] of values) {
    const line = `${name}=${quote(value)}`;
    const assigned = lines.flatMap((each, index) => (assignmentIn(each) === name ? [index] : []));
    const example = lines.findIndex((each) => each.startsWith(`#${name}=`));
    const last = assigned.at(-1);
    if (last !== undefined) {
      // Reading takes the last one.
      lines.splice(last, linesOfValue(lines, last), line);
    } else if (example !== -1) lines.splice(example + 1, 0, line);
    else lines.push(line);
  }
  const merged = `${lines.join('\n')}\n`;
  const read = parseEnv(merged);
  const before = parseEnv(text);
  for (const name of new Set([...Object.keys(before), ...values.keys()])) {
    if (read[name] === (values.get(name) ?? before[name])) continue;
    throw new TallyhookError('unreadable_file', `${name} cannot be written to the file so that it is read again.`, {
      hint: 'Change it with an editor.',
    });
  }
  return merged;
}

/** Replaces the file as a whole: it is readable for its owner only, and never half written. */
export function writeEnvFile(path: string, text: string): void {
  const target = resolveLink(path);
  const partial = `${target}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    writeFileSync(partial, text, { flag: 'wx', mode: 0o600, flush: true });
    renameSync(partial, target);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

/** A link to the file stays one. */
function resolveLink(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function assignmentIn(line: string): string | undefined {
  return /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/.exec(line)?.[1];
}

/** A value in quotes may have several lines. */
function linesOfValue(lines: readonly string[], start: number): number {
  const line = lines[start] ?? '';
  const value = line.slice(line.indexOf('=') + 1).trimStart();
  const mark = value[0] ?? '';
  if (!['"', "'", '`'].includes(mark) || value.indexOf(mark, 1) !== -1) return 1;
  const end = lines.findIndex((each, index) => index > start && each.includes(mark));
  return end === -1 ? 1 : end - start + 1;
}

function quote(value: string): string {
  if (/^[\w.:/@%+,=?&-]*$/.test(value)) return value;
  const mark = ["'", '"', '`'].find((each) => !value.includes(each)) ?? "'";
  return `${mark}${value}${mark}`;
}

/** The commented example of all settings, which is part of the package; a heading if it cannot be found. */
export function envTemplate(): string {
  // Above the sources and the bundle.
  for (const path of ['../../../.env.example', '../../.env.example']) {
    try {
      return withoutEmptyValues(readFileSync(new URL(path, import.meta.url), 'utf8'));
    } catch {
      // Try the next one.
    }
  }
  return '# Settings of tallyhook.\n';
}

/** Values to fill in become comments, so that they stay if they are left out. */
function withoutEmptyValues(text: string): string {
  return text
    .split('\n')
    .map((line) => (/^[A-Z_]+=$/.test(line) ? `#${line}` : line))
    .join('\n');
}
