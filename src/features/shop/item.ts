import { addedValue } from '../../core/added-value.ts';

/** Longest code (characters), so that a message with it fits into Discord's limits. */
export const maxCodeLength = 200;

/**
 * Something that members of a community buy with credits. Exactly one of `role`, `codes` and `manual` says what the
 * buyer gets.
 */
export interface ShopItem {
  /** Permanent, and unique in the shop. */
  readonly id: string;
  /** 1 to 80 characters, written by the owner: escape it. */
  readonly name: string;
  /** Whole credits, 0 or more. */
  readonly price: number;
  /** The role that the buyer gets (Discord ID); null if the item is not a role. */
  readonly role: string | null;
  /** How long the buyer has the role (ms); null if it does not end, or the item is not a role. */
  readonly forMs: number | null;
  /**
   * Codes without duplicates, each for one buyer only; null if the item is not a code. They are secret, and the redactor
   * of the log does not know them: show and log {@link withoutCodes} instead.
   */
  readonly codes: readonly string[] | null;
  /** Whether the owner fulfils the purchase. */
  readonly manual: boolean;
  /** How often the item can be bought in total, by all members; null for no limit other than the number of codes. */
  readonly stock: number | null;
  /** Only members with this role can buy the item (Discord ID); null for all members. */
  readonly needsRole: string | null;
}

/** The items of a shop: of the settings that the listings of a guild share. Their codes are secret: see {@link ShopItem.codes}. */
export const shopItems = addedValue<readonly ShopItem[]>('shop', []);

/** A shop item that can be shown and logged. */
export interface PublicShopItem extends Omit<ShopItem, 'codes'> {
  /** The number of codes, issued or not; null if the item is not a code. */
  readonly codeCount: number | null;
}

export function withoutCodes({ codes, ...item }: ShopItem): PublicShopItem {
  return { ...item, codeCount: codes?.length ?? null };
}
