import { z } from 'zod';
import { credits, duration, hasNoIssues, id, wholeNumber } from './file-schemas.ts';

const expectedId = 'it must consist of at most 32 letters, digits, dashes and underscores';
const expectedName = 'it must have 1 to 80 characters';

/** Longest code (characters), so that a message with it fits into Discord's limits. */
export const maxCodeLength = 200;

const expectedCode = `it must be a code of 1 to ${maxCodeLength} characters on one line`;
const code = z.string(expectedCode).trim().regex(/^.+$/, expectedCode).max(maxCodeLength, expectedCode);

const item = z
  .strictObject({
    id: z
      .string(expectedId)
      .regex(/^[\w-]{1,32}$/, expectedId)
      .describe('Permanent name of the item. Purchases refer to it, so do not change it.'),
    name: z.string(expectedName).trim().min(1, expectedName).max(80, expectedName).describe('Shown to members.'),
    price: credits.describe('Whole credits.'),
    role: id.optional().describe('The buyer gets this role (Discord id).'),
    for: duration.optional().describe('How long the buyer has the role. If it is left out, the role does not end.'),
    codes: z
      .array(code)
      .optional()
      .describe('The buyer gets one of these codes, each of which is issued once. They are secret.'),
    codesFile: z
      .string()
      .min(1)
      .optional()
      .describe('A text file with one code per line, in place of "codes" or in addition. Relative to this file.'),
    manual: z
      .literal(true, 'it must be true, or be left out')
      .optional()
      .describe("The owner fulfils the purchase, which is reported in the owner's channel."),
    stock: wholeNumber(0, 1_000_000_000)
      .optional()
      .describe('How often it can be bought in total. If it is left out, without limit, or once per code.'),
    needsRole: id.optional().describe('Only members with this role can buy it (Discord id).'),
  })
  .superRefine(({ role, codes, codesFile, manual, for: duration }, context) => {
    const kinds = [role, codes ?? codesFile, manual].filter((each) => each !== undefined);
    if (kinds.length !== 1) {
      const message = 'it must be exactly one of a role ("role"), codes ("codes" or "codesFile") or "manual": true';
      context.addIssue({ code: 'custom', message });
    }
    if (duration !== undefined && role === undefined) {
      context.addIssue({ code: 'custom', path: ['for'], message: 'it is only valid together with "role"' });
    }
  });

/** `shop` of a listing in the file. */
export const shop = z
  .array(item)
  .max(100, 'it must have at most 100 items')
  .superRefine(rejectEqualIds, { when: hasNoIssues });

function rejectEqualIds(items: readonly FileShopItem[], context: z.RefinementCtx): void {
  for (const [index, { id: itemId }] of items.entries()) {
    if (items.findIndex((each) => each.id === itemId) === index) continue;
    context.addIssue({ code: 'custom', path: [index, 'id'], message: 'an earlier item has the same id' });
  }
}

export type FileShopItem = z.infer<typeof item>;
