import { isObject, type JsonObject, listOf } from '@tallyhook/platform/json';
import { z } from 'zod';
import type { SecretParts } from '../../core/settings/setting-spec.ts';
import { breaks, rule } from '../../core/settings/value-schemas.ts';
import { maxCodeLength, shopItems } from './item.ts';

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
