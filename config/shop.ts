import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ShopItem } from '../src/features/shop/item.ts';
import { type FileShopItem, maxCodeLength, toShopItem } from '../src/features/shop/settings.ts';
import { formatCount } from '../src/platform/durations.ts';
import type { ConfigIssue } from '../src/platform/invalid-config-error.ts';
import { type SecretFile, worldWritableIssue } from './secret-files.ts';

export interface ShopContext {
  /** Position of the shop in the file: `TALLYHOOK_CONFIG listings.0.shop`. */
  readonly setting: string;
  /** Directory to which the paths of files with codes are relative. */
  readonly directory: string;
  readonly issues: ConfigIssue[];
  /** Receives the files with codes. */
  readonly secretFiles: SecretFile[];
}

/** The items of a shop with the codes of their files. Issues never contain a code. */
export function readShop(items: readonly FileShopItem[], context: ShopContext): ShopItem[] {
  const positions = new Map<string, string>();
  return items.map((item, index) => {
    const codes = readCodes(item, { ...context, setting: `${context.setting}.${index}` }, positions);
    return toShopItem(item, codes);
  });
}

/** @param positions of the codes of the whole shop, so that no code is issued twice */
function readCodes(
  { codes, codesFile }: FileShopItem,
  context: ShopContext,
  positions: Map<string, string>,
): readonly string[] | null {
  if (codes === undefined && codesFile === undefined) return null;
  const { setting, issues } = context;
  const all = [
    ...(codes ?? []).map((code, index) => ({ code, position: `${setting}.codes.${index}`.replace(/^\w+ /, '') })),
    ...(codesFile === undefined ? [] : codesOf(codesFile, context)),
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
function codesOf(codesFile: string, context: ShopContext): PositionedCode[] {
  const { directory, issues, secretFiles } = context;
  const setting = `${context.setting}.codesFile`;
  const path = resolve(directory, codesFile);
  const writable = worldWritableIssue({ setting, path });
  secretFiles.push({ setting, path });
  if (writable !== null) issues.push(writable);
  try {
    const codes = splitCodes(readFileSync(path, 'utf8'), path);
    const tooLong = codes.find(({ code }) => code.length > maxCodeLength);
    if (tooLong !== undefined) {
      const problem = `has a code with more than ${maxCodeLength} characters: ${tooLong.position}.`;
      issues.push({ setting, problem, hint: 'Write one code per line.' });
    }
    return codes;
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    const hint = `Correct the path, which is relative to the directory ${resolve(directory)}.`;
    issues.push({ setting, problem: `points to a file that cannot be read (${path}: ${reason}).`, hint });
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
