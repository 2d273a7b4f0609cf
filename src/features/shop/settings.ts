import { resolve } from 'node:path';
import { toDurationText } from '@tallyhook/platform/duration-text';
import { formatCount, isoTime } from '@tallyhook/platform/durations';
import { isEqual, isObject, type JsonObject, listOf, numberOf, textOf } from '@tallyhook/platform/json';
import { worldWritableIssue } from '@tallyhook/platform/secret-files';
import { readTextFile, UnreadableFileError } from '@tallyhook/platform/text-file';
import { escapeName, type Markup, webAddress } from '@tallyhook/platform/texts/markup';
import { z } from 'zod';
import { type FilePlace, type SecretParts, setting } from '../../core/settings/setting-spec.ts';
import {
  atMost,
  breaks,
  credits,
  duration,
  ifValid,
  noConflicts,
  roleId,
  rule,
  wholeNumber,
} from '../../core/settings/value-schemas.ts';
import type { Texts } from '../../texts/texts.ts';
import { maxCodeLength, maxDescriptionLength, priceText, type ShopItem, shopItems, withoutCodes } from './purchase.ts';

const expectedId = 'it must consist of at most 32 letters, digits, dashes and underscores';
const nameError = breaks(rule('length', { min: 1, max: 80 }), 'it must have 1 to 80 characters');

const maxItems = 100;
/** Credits. */
const maxPrice = 1_000_000;

/** Most codes of an item that are stored by `/setup`; more belong into a file. */
const maxStoredCodes = 5_000;

const codeError = breaks(
  rule('length', { min: 1, max: maxCodeLength }),
  `it must be a code of 1 to ${maxCodeLength} characters on one line`,
);
const code = z.string(codeError).trim().regex(/^.+$/, codeError).max(maxCodeLength, codeError);

/** The codes of items, which `/setup` stores apart from them. A stored item has their number: `codeCount`. */
const codesOfItems: SecretParts = {
  schema: atMost(code, maxStoredCodes, 'codes').superRefine(rejectEqualCodes),
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

const descriptionError = breaks(
  rule('length', { min: 1, max: maxDescriptionLength }),
  `it must have 1 to ${maxDescriptionLength} characters`,
);
const emojiError = breaks(rule('emoji'), 'it must be one emoji, such as 🎁, or one of your server as <:name:id>');
const imageError = breaks(rule('image'), 'it must be the https address of an image');
const timeError = breaks(
  rule('localTime'),
  'it must be a time in ISO 8601 with a time zone, such as 2026-12-01T00:00:00Z or 2026-12-01T00:00:00+01:00',
);
/** An ISO 8601 time, in ms since the epoch. */
const instant = z.iso.datetime({ offset: true, ...timeError }).transform((text) => Date.parse(text));

function orNull<Value>(value: Value | undefined): Value | null {
  return value ?? null;
}

const fields = z.strictObject({
  id: z
    .string(expectedId)
    .regex(/^[\w-]{1,32}$/, expectedId)
    .describe('Permanent name, since purchases refer to it: up to 32 letters, digits, dashes and underscores.'),
  name: z
    .string(nameError)
    .trim()
    .min(1, nameError)
    .max(80, nameError)
    .describe('What members read, up to 80 characters.'),
  price: credits.describe('Whole credits.'),
  role: roleId.optional().transform(orNull).describe('The buyer gets this role.'),
  for: duration
    .optional()
    .transform(orNull)
    .describe('How long the buyer has the role; permanently if it is left out.'),
  codes: z
    .array(code)
    .optional()
    .describe('The buyer gets one of these codes, each of which is issued once. They are secret.'),
  codesFile: z
    .string()
    .min(1)
    .optional()
    .describe(
      'A text file with one code per line, in place of `codes` or in addition. Relative to the file of `TALLYHOOK_CONFIG`.',
    ),
  manual: z
    .literal(true, 'it must be true, or be left out')
    .optional()
    .transform((isManual) => isManual === true)
    .describe('`true`: the owner fulfils the purchase, which is reported in `ownerChannelId`.'),
  stock: wholeNumber(1, 1_000_000_000)
    .optional()
    .transform(orNull)
    .describe('How often it can be bought in total. If it is left out, without limit, or once per code.'),
  needsRole: roleId.optional().transform(orNull).describe('Only members with this role can buy it.'),
  limit: wholeNumber(1, 1_000_000)
    .optional()
    .transform(orNull)
    .describe('How often each member can buy it; refunds do not count.'),
  from: instant.optional().transform(orNull).describe('It is sold from this time: ISO 8601 with a time zone.'),
  until: instant.optional().transform(orNull).describe('It is no longer sold from this time.'),
  description: z
    .string(descriptionError)
    .trim()
    .min(1, descriptionError)
    .max(maxDescriptionLength, descriptionError)
    .optional()
    .transform(orNull)
    .describe(`What members read below the name, up to ${maxDescriptionLength} characters.`),
  emoji: z
    .string(emojiError)
    .trim()
    .refine(isEmoji, emojiError)
    .optional()
    .transform(orNull)
    .describe('One emoji before the name: `🎁`, or one of your server as `<:name:id>`.'),
  picture: z
    .string(imageError)
    .refine(isImageAddress, imageError)
    .optional()
    .transform(orNull)
    .describe('The https address of a small picture beside it, which Discord fetches.'),
});

function isImageAddress(address: string): boolean {
  return address.length <= 500 && (webAddress(address)?.startsWith('https:') ?? false);
}

/** One emoji, which may consist of several characters, or one of a server. */
function isEmoji(text: string): boolean {
  const isOne = [...new Intl.Segmenter().segment(text)].length === 1;
  return (isOne && emojiPart.test(text)) || customEmoji.test(text);
}

/** A pictogram, a letter of a flag, or the frame of a key. */
const emojiPart = /\p{Extended_Pictographic}|\p{Regional_Indicator}{2}|\u20E3/u;

/** Discord: "Message Formatting". */
const customEmoji = /^<a?:\w{2,32}:\d{1,20}>$/;

function checkWindow({ from, until }: Pick<ShopItem, 'from' | 'until'>, context: z.RefinementCtx): void {
  if (from === null || until === null || from < until) return;
  const params = { rule: rule('laterUntil') };
  context.addIssue({ code: 'custom', path: ['until'], message: 'it must be later than "from"', params });
}

/** Exactly one of role, codes and `manual` says what an item is. */
function checkKind(
  { role, codes, manual, for: duration }: Pick<z.infer<typeof fields>, 'role' | 'manual' | 'for'> & { codes: unknown },
  context: z.RefinementCtx,
): void {
  const kinds = [role !== null, codes !== undefined, manual].filter(Boolean);
  if (kinds.length !== 1) {
    const message = 'it must be exactly one of a role ("role"), codes ("codes" or "codesFile") or "manual": true';
    context.addIssue({ code: 'custom', message, params: { rule: rule('itemKind') } });
  }
  if (duration !== null && role === null) {
    context.addIssue({ code: 'custom', path: ['for'], message: 'it is only valid together with "role"' });
  }
}

const priceError = {
  error: (issue: z.core.$ZodRawIssue) =>
    (issue.input === '0'
      ? breaks(rule('freePrice', { word: freeWord }), `it must be the word ${freeWord} where nothing is to be paid`)
      : breaks(rule('wholeNumber', { min: 0, max: maxPrice }), `it must be a whole number from 0 to ${maxPrice}`)
    ).error(issue),
};

/** In a form of `/setup`, the price of what is given away: a 0 there is more often a mistake. It is passed on as a text. */
export const freeWord = 'free';

/** A price as a form enters it. */
export function enteredPrice(price: unknown): unknown {
  if (typeof price === 'string' && price.toLowerCase() === freeWord) return 0;
  return price === 0 ? '0' : price;
}

const item = fields.superRefine(({ codes, codesFile, ...others }, context) => {
  checkKind({ ...others, codes: codes ?? codesFile }, context);
  checkWindow(others, context);
});

/**
 * An item as `/setup` stores it: its codes are apart, so that they can be encrypted. A file with codes cannot be named,
 * since it would be any file of the operator.
 */
const storedItem = fields
  .omit({ codes: true, codesFile: true })
  .extend({
    codeCount: wholeNumber(0, maxStoredCodes).optional(),
    price: z.int(priceError).min(0, priceError).max(maxPrice, priceError),
  })
  .superRefine(({ codeCount, ...others }, context) => {
    checkKind({ ...others, codes: codeCount }, context);
    checkWindow(others, context);
    if (codeCount !== 0) return;
    const params = { rule: rule('atLeastOne') };
    context.addIssue({ code: 'custom', path: ['codes'], message: 'it must have at least one code', params });
  });

function itemList<Item extends z.ZodType<{ readonly id: string; readonly name: string }>>(items: Item) {
  return atMost(items, maxItems, 'items').superRefine(noEqualIds, ifValid).superRefine(noEqualNames, ifValid);
}

const noEqualIds = noConflicts<{ readonly id: string }>(
  (one, other) => one.id === other.id,
  () => ({ path: ['id'], message: 'an earlier item has the same id', rule: null }),
);

/** Members could not tell them apart. */
const noEqualNames = noConflicts<{ readonly name: string }>(
  (one, other) => one.name.trim().toLowerCase() === other.name.trim().toLowerCase(),
  () => ({ path: ['name'], message: 'an earlier item has the same name', rule: rule('sameName') }),
);

export const shop = setting({
  path: 'shop',
  description: 'Up to 100 [items](#shop) that members buy with credits. Listings of one guild share it.',
  schema: itemList(item),
  storedSchema: itemList(storedItem),
  isShared: true,
  isNeeded: true,
  fromFile: withFileCodes,
  secretParts: codesOfItems,
  inEffect: (items) => shopItems.as((items ?? []).map(toShopItem)),
  inFile: (settings) => shopItems.in(settings).map(itemInFile),
  givenRoles: (value) => listOf(value).map((entry) => ({ role: entry['role'], entry })),
  // Nobody would know of a purchase that the team fulfils.
  needs: (settings) =>
    shopItems
      .in(settings)
      .filter(({ manual }) => manual && settings.ownerChannelId === null)
      .map((each) => ({ path: 'ownerChannelId', problem: `is needed by the item "${each.id}" of the shop.` })),
  doubts: (settings) =>
    shopItems
      .in(settings)
      .filter(({ price }) => price === 0)
      .map(({ id: itemId }) => `the item "${itemId}" of the shop costs nothing`),
  requiredRoles: (value) => listOf(value).map((entry) => entry['needsRole']),
  showEntry: (entry, texts) => texts.text('setup.values.item', shownItem(entry, texts)),
  showChange: showItemsChange,
});

function shownItem({ name, price }: JsonObject, texts: Texts) {
  return { name: escapeName(textOf(name), 80), price: priceText(numberOf(price), texts) };
}

/** Says what was added, removed or moved: in a long list, before and after would hide it. */
function showItemsChange(before: unknown, after: unknown, texts: Texts): Markup | null {
  const [old, current] = [listOf(before), listOf(after)];
  const missingIn = (list: readonly JsonObject[], others: readonly JsonObject[]) =>
    list.filter((each) => !others.some(({ id: otherId }) => otherId === each['id']));
  const [added, removed] = [missingIn(current, old), missingIn(old, current)];
  const [one, other] = [...added, ...removed];
  if (one !== undefined && other === undefined) {
    const entry = texts.text('setup.values.oneItem', shownItem(one, texts));
    return texts.text(added.length === 1 ? 'setup.saved.added' : 'setup.saved.removed', { entry });
  }
  const isMoved = one === undefined && old.every((each) => current.some((moved) => isEqual(moved, each)));
  if (!isMoved) return null;
  const names = current.slice(0, maxNamesShown).map(({ name }) => escapeName(textOf(name), 80));
  return texts.text('setup.saved.order', { entries: texts.list(names) });
}

const maxNamesShown = 25;

/** An item as in the file, with `codeCount` in place of the codes. */
function itemInFile(shopItem: ShopItem) {
  const { forMs, from, until, manual, ...others } = withoutCodes(shopItem);
  const window = { from: isoTime(from), until: isoTime(until) };
  const all = { ...others, for: forMs && toDurationText(forMs), manual: manual || null, ...window };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}

/** The item in effect. One that is stored, and whose codes are missing, is sold out. */
function toShopItem({
  codesFile: _file,
  codeCount,
  codes,
  for: forMs,
  ...stated
}: z.infer<typeof item> & { readonly codeCount?: number }): ShopItem {
  return { ...stated, codes: codes ?? (codeCount === undefined ? null : []), forMs };
}

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

interface PositionedCode {
  readonly code: string;
  readonly position: string;
}

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
