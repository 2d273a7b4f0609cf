import type { TallyhookErrorCode } from '@tallyhook/platform/error-codes';

/** The counts of the bot, and which sites have accepted them. @category Start here */
export interface PostedServerCount {
  readonly servers: number;
  readonly shards: number;
  /** By the name of the listing, and the id of its site, such as `topgg`. */
  readonly sent: readonly { readonly listing: string; readonly site: string }[];
  readonly failed: readonly {
    readonly listing: string;
    readonly site: string;
    readonly code: TallyhookErrorCode;
    /** For the operator; it never contains the key. */
    readonly reason: string;
  }[];
}
