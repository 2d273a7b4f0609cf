import type { OptionValue } from '../src/discord/commands/reply.ts';
import { packSnowflake, unpackSnowflake } from '../src/platform/packed-snowflake.ts';
import { isSnowflake } from '../src/platform/snowflake.ts';

/** The options of a component. */
export type ComponentOptions = Readonly<Record<string, OptionValue>>;

/** What the button of a confirmation contains. */
interface Confirmation {
  /** An id of at most 32 characters. */
  readonly item: string;
  /** Credits. */
  readonly price: number;
  /** The id of an interaction. */
  readonly id: string;
}

/**
 * The options of the button that confirms a purchase. With a community they are packed, because the id of a button has
 * at most 100 characters.
 * @param options `community`, or none if there is only one
 */
export function packConfirmation(confirmation: Confirmation, { community }: ComponentOptions): ComponentOptions {
  const { item, price, id } = confirmation;
  if (community === undefined) return { item, price, id };
  return { i: item, p: price, n: pack(id), c: pack(String(community)) };
}

/** The options as they were before {@link packConfirmation}. They can be forged. */
export function unpackConfirmation(options: ComponentOptions): ComponentOptions {
  const { i, p, n, c } = options;
  if (c === undefined) return options;
  return { item: i ?? '', price: p ?? '', id: unpack(String(n)), community: unpack(String(c)) };
}

/** Other texts than snowflakes are not changed: they are short. */
function pack(text: string): string {
  return isSnowflake(text) ? packSnowflake(text) : text;
}

function unpack(text: string): string {
  return unpackSnowflake(text) ?? text;
}
