import type { ParsedRequest } from './parsed-body.ts';

/** A request apart from its unread body; one of Node has this shape. */
export interface RequestHead extends ParsedRequest {
  readonly method?: string | undefined;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** With a property `encrypted` if it is one of TLS. */
  readonly socket: object;
}
