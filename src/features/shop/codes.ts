import { resolve } from 'node:path';
import { formatCount } from '@tallyhook/platform/durations';
import { isObject, type JsonObject, listOf } from '@tallyhook/platform/json';
import { worldWritableIssue } from '@tallyhook/platform/secret-files';
import { readTextFile, UnreadableFileError } from '@tallyhook/platform/text-file';
import { z } from 'zod';
import type { FilePlace, SecretParts } from '../../core/settings/setting-spec.ts';
import { breaks, rule } from '../../core/settings/value-schemas.ts';
import { maxCodeLength, shopItems } from './purchase.ts';

/** Most codes of an item that are stored by `/setup`; more belong into a file. */
export const maxStoredCodes = 5_000;

const codeError = breaks(
  rule('length', { min: 1, max: maxCodeLength }),
  `it must be a code of 1 to ${maxCodeLength} characters on one line`,
);
export const code = z.string(codeError).trim().regex(/^.+$/, codeError).max(maxCodeLength, codeError);

/** The codes of items, which `/setup` stores apart from them. A stored item has their number: `codeCount`. */
export const codesOfItems: SecretParts = {
  schema: z
    .array(code)
    .max(
      maxStoredCodes,
      breaks(rule('atMost', { max: maxStoredCodes }), `it must have at most ${maxStoredCodes} codes`),
    )
    .superRefine(rejectEqualCodes),
  isAt: (path) => path.startsWith('shop.') && path.endsWith('.codes'),
  // An item with `codes` has only those from now on, one with `newCodes` gets them in addition.
  separate(items, current) {
    if (!Array.isArray(items)) return [['shop', items]];
    const secrets: (readonly [path: string, codes: readonly unknown[]])[] = [];
    const stored = items.map((item: unknown) => {
      if (!isObject(item)) return item;
      const { codes, newCodes, ...others } = item;
      const sold = current === undefined ? [] : shopItems.in(current);
      const before = sold.find(({ id }) => id === item['id'])?.codes ?? [];
      const added: readonly unknown[] = Array.isArray(newCodes) ? newCodes : [];
      const all: readonly unknown[] = [...(Array.isArray(codes) ? codes : before), ...added];
      const isChanged = Array.isArray(codes) || added.length > 0;
      if (isChanged) secrets.push([pathOf(item), all]);
      return isChanged || 'codeCount' in others ? { ...others, codeCount: all.length } : others;
    });
    return [['shop', stored], ...secrets];
  },
  join(items, secretAt, configured) {
    return listOf(items).map((item) => {
      const { codeCount, ...others } = item;
      const codes = secretAt(pathOf(item)) ?? listOf(configured).find(({ id }) => id === item['id'])?.['codes'];
      return codeCount === undefined || codes === undefined ? item : { ...others, codes };
    });
  },
};

/** Names positions, because codes are secret. */
function rejectEqualCodes(codes: readonly string[], context: z.RefinementCtx): void {
  const positions = new Map<string, number>();
  for (const [index, each] of codes.entries()) {
    const first = positions.get(each);
    if (first === undefined) {
      positions.set(each, index + 1);
      continue;
    }
    const params = { rule: rule('sameCode', { position: index + 1, first }) };
    context.addIssue({ code: 'custom', message: `it has a code twice: ${index + 1} repeats ${first}`, params });
    return;
  }
}

function pathOf({ id }: JsonObject): string {
  return `shop.${String(id)}.codes`;
}

/** The fields of an item of a file that state its codes. */
interface FileCodes {
  readonly codes?: string[] | undefined;
  readonly codesFile?: string | undefined;
}

/** The items of a shop with the codes of their files. Issues never contain a code. */
export function withFileCodes<Item extends FileCodes>(items: readonly Item[], place: FilePlace): Item[] {
  const positions = new Map<string, string>();
  return items.map((item, index) => {
    const { codes, codesFile } = item;
    if (codes === undefined && codesFile === undefined) return item;
    const all = readCodes(item, { ...place, setting: `${place.setting}.${index}` }, positions);
    return { ...item, codes: all, codesFile: undefined };
  });
}

/** @param positions of the codes of the whole shop, so that no code is issued twice */
function readCodes({ codes = [], codesFile }: FileCodes, place: FilePlace, positions: Map<string, string>): string[] {
  const { setting, issues } = place;
  const all = [
    ...codes.map((code, index) => ({ code, position: `${setting}.codes.${index}`.replace(/^\w+ /, '') })),
    ...(codesFile === undefined ? [] : codesOf(codesFile, place)),
  ];
  if (all.length === 0 && !issues.some((issue) => issue.setting === `${setting}.codesFile`)) {
    issues.push({ setting, problem: 'has no codes.', hint: 'Add codes, or remove the item.' });
  }
  const repeats = all.filter(({ code, position }) => {
    const isRepeat = positions.has(code);
    if (!isRepeat) positions.set(code, position);
    return isRepeat;
  });
  const [repeat] = repeats;
  if (repeat !== undefined) {
    const others = repeats.length === 1 ? '' : `, and ${formatCount(repeats.length - 1, 'other code')}`;
    const problem = `has a code twice: ${repeat.position} repeats ${positions.get(repeat.code)}${others}.`;
    issues.push({ setting, problem, hint: 'Remove one of them; each code is issued once.' });
  }
  return all.map(({ code }) => code);
}

/** A code and its position. */
export interface PositionedCode {
  readonly code: string;
  /** Where it is, for an issue. */
  readonly position: string;
}

/** The codes of a file. */
function codesOf(codesFile: string, place: FilePlace): PositionedCode[] {
  const { directory, issues, secretFiles } = place;
  const setting = `${place.setting}.codesFile`;
  const path = resolve(directory, codesFile);
  const writable = worldWritableIssue({ setting, path });
  secretFiles.push({ setting, path });
  if (writable !== null) issues.push(writable);
  try {
    const codes = splitCodes(readTextFile(path), path);
    const tooLong = codes.find(({ code }) => code.length > maxCodeLength);
    if (tooLong !== undefined) {
      const problem = `has a code with more than ${maxCodeLength} characters: ${tooLong.position}.`;
      issues.push({ setting, problem, hint: 'Write one code per line.' });
    }
    return codes;
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    const hint = `${error.hint} Its path is relative to the directory ${resolve(directory)}.`;
    issues.push({ setting, problem: `points to ${path}, which ${error.problem}.`, hint });
    return [];
  }
}

/** The codes of a text, one per line, without a byte-order mark and spaces around them. Empty lines are skipped. */
export function splitCodes(text: string, path: string): PositionedCode[] {
  return text
    .split('\n')
    .map((line, index) => ({ code: line.trim(), position: `line ${index + 1} of ${path}` }))
    .filter(({ code }) => code !== '');
}
