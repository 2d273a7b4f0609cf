import { toDurationText } from '@tallyhook/platform/duration-text';
import { listOf, numberOf, textOf } from '@tallyhook/platform/json';
import { escapeName } from '@tallyhook/platform/texts/markup';
import { z } from 'zod';
import { setting } from '../../core/settings/setting-spec.ts';
import {
  breaks,
  credits,
  duration,
  hasNoIssues,
  roleId,
  rule,
  wholeNumber,
} from '../../core/settings/value-schemas.ts';
import { code, codesOfItems, maxStoredCodes, withFileCodes } from './codes.ts';
import { type ShopItem, shopItems, withoutCodes } from './purchase.ts';

const expectedId = 'it must consist of at most 32 letters, digits, dashes and underscores';
const nameError = breaks(rule('length', { min: 1, max: 80 }), 'it must have 1 to 80 characters');

/** Most items of a shop. */
const maxItems = 100;

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
  role: roleId.optional().describe('The buyer gets this role.'),
  for: duration.optional().describe('How long the buyer has the role; permanently if it is left out.'),
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
    .describe('`true`: the owner fulfils the purchase, which is reported in `ownerChannelId`.'),
  stock: wholeNumber(1, 1_000_000_000)
    .optional()
    .describe('How often it can be bought in total. If it is left out, without limit, or once per code.'),
  needsRole: roleId.optional().describe('Only members with this role can buy it.'),
});

/** The parts of an item of which exactly one says what it is. */
interface KindOfItem {
  readonly role?: string | undefined;
  readonly for?: number | undefined;
  readonly codes?: unknown;
  readonly manual?: true | undefined;
}

function checkKind({ role, codes, manual, for: duration }: KindOfItem, context: z.RefinementCtx): void {
  const kinds = [role, codes, manual].filter((each) => each !== undefined);
  if (kinds.length !== 1) {
    const message = 'it must be exactly one of a role ("role"), codes ("codes" or "codesFile") or "manual": true';
    context.addIssue({ code: 'custom', message, params: { rule: rule('itemKind') } });
  }
  if (duration !== undefined && role === undefined) {
    context.addIssue({ code: 'custom', path: ['for'], message: 'it is only valid together with "role"' });
  }
}

const item = fields.superRefine(({ codes, codesFile, ...others }, context) =>
  checkKind({ ...others, codes: codes ?? codesFile }, context),
);

/**
 * An item as `/setup` stores it: its codes are apart, so that they can be encrypted. A file with codes cannot be named,
 * since it would be any file of the operator.
 */
const storedItem = fields
  .omit({ codes: true, codesFile: true })
  .extend({ codeCount: wholeNumber(0, maxStoredCodes).optional() })
  .superRefine(({ codeCount, ...others }, context) => {
    checkKind({ ...others, codes: codeCount }, context);
    if (codeCount !== 0) return;
    const params = { rule: rule('atLeastOne') };
    context.addIssue({ code: 'custom', path: ['codes'], message: 'it must have at least one code', params });
  });

function itemList<Item extends z.ZodType<{ readonly id: string }>>(items: Item) {
  return z
    .array(items)
    .max(maxItems, breaks(rule('atMost', { max: maxItems }), `it must have at most ${maxItems} items`))
    .superRefine(rejectEqualIds, { when: hasNoIssues });
}

function rejectEqualIds(items: readonly { readonly id: string }[], context: z.RefinementCtx): void {
  for (const [index, { id: itemId }] of items.entries()) {
    if (items.findIndex((each) => each.id === itemId) === index) continue;
    context.addIssue({ code: 'custom', path: [index, 'id'], message: 'an earlier item has the same id' });
  }
}

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
  requiredRoles: (value) => listOf(value).map((entry) => entry['needsRole']),
  showEntry: ({ name, price }, texts) =>
    texts.text('setup.values.item', {
      name: escapeName(textOf(name), 40),
      price: texts.text('parts.credits', { count: numberOf(price) }),
    }),
});

/** An item as in the file, with `codeCount` in place of the codes. */
function itemInFile(shopItem: ShopItem) {
  const { id: itemId, name, price, role, forMs, codeCount, manual, stock, needsRole } = withoutCodes(shopItem);
  return {
    id: itemId,
    name,
    price,
    ...(role !== null && { role }),
    ...(forMs !== null && { for: toDurationText(forMs) }),
    ...(codeCount !== null && { codeCount }),
    ...(manual && { manual }),
    ...(stock !== null && { stock }),
    ...(needsRole !== null && { needsRole }),
  };
}

/** The item in effect. One that is stored, and whose codes are missing, is sold out. */
function toShopItem(stated: z.infer<typeof item> & { readonly codeCount?: number }): ShopItem {
  const { id: itemId, name, price, role, for: forMs, codes, codeCount, manual = false, stock, needsRole } = stated;
  return {
    id: itemId,
    name,
    price,
    role: role ?? null,
    forMs: forMs ?? null,
    codes: codes ?? (codeCount === undefined ? null : []),
    manual,
    stock: stock ?? null,
    needsRole: needsRole ?? null,
  };
}
