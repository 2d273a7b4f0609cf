import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';

/** A fault that a programmer could make, and that a test must find. */
export interface Mutation {
  /** Path from the root of the repository. */
  readonly file: string;
  /** A part of the file that occurs once. */
  readonly find: string;
  readonly replace: string;
  /** The promise that the fault breaks. */
  readonly breaks: string;
}

/** Names a mutation in reports; another one if the fault changes. */
export function mutationId({ file, find, replace }: Mutation): string {
  return createHash('sha256')
    .update(JSON.stringify([file, find, replace]))
    .digest('hex')
    .slice(0, 12);
}

/** The file with the fault. */
export function mutate(content: string, { find, replace }: Mutation): string {
  const at = content.indexOf(find);
  return content.slice(0, at) + replace + content.slice(at + find.length);
}

/** What is wrong with the list, so that it stays true while the code changes. */
export function findIssues(mutations: readonly Mutation[], root: string): string[] {
  const issues = mutations.flatMap((mutation) => {
    const { file, find, replace } = mutation;
    const path = join(root, file);
    if (!existsSync(path)) return [`${file} does not exist: ${mutation.breaks}`];
    const content = readFileSync(path, 'utf8');
    const count = content.split(find).length - 1;
    if (count !== 1) return [`${file} contains ${JSON.stringify(find)} ${count} times instead of once`];
    if (find === replace) return [`${file} does not change: ${JSON.stringify(find)}`];
    return isValid(file, mutate(content, mutation))
      ? []
      : [`${file} has a syntax error with ${JSON.stringify(replace)}`];
  });
  const ids = mutations.map(mutationId);
  const repeated = mutations.filter((_, index) => ids.indexOf(ids[index] ?? '') !== index);
  return [...issues, ...repeated.map(({ file, breaks }) => `${file} has a mutation twice: ${breaks}`)];
}

function isValid(file: string, source: string): boolean {
  try {
    if (file.endsWith('.json')) JSON.parse(source);
    else stripTypeScriptTypes(source);
    return true;
  } catch {
    return false;
  }
}
