import type { Family } from './event.ts';
import type { ParsedRequest } from './parsed-body.ts';
import type { WebhookResponse } from './response.ts';

/** A request apart from its unread body; one of Node has this shape. */
export interface RequestHead extends ParsedRequest {
  readonly method?: string | undefined;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** With a property `encrypted` if it is one of TLS. */
  readonly socket: object;
}

/** The part of a delivery that authenticates its sender, apart from the body. */
export interface DeliveryCredentials {
  /** The family of the path; null for the path that accepts both. */
  readonly family: Family | null;
  /** The name of the listing in the path, whose secrets alone are valid; null for the shared paths. */
  readonly listing: string | null;
  /** The header `x-webhook-signature` (document, section 5.7). */
  readonly signature: string | undefined;
  /** The header `Authorization`, verbatim. */
  readonly authorization: string | undefined;
  /** All headers, by their names in lower case: other sites have schemes of their own. */
  readonly headers: RequestHead['headers'];
  /** W3C `traceparent` of the span of the delivery; missing without tracing. */
  readonly traceparent?: string;
}

/** A delivery that is not authenticated yet. */
export interface IncomingDelivery extends DeliveryCredentials {
  readonly body: Buffer;
  /** Called once it is known whether the sender is who it claims to be. */
  readonly onAuthenticated?: () => void;
}

/** What the receiver passes deliveries to. */
export interface Intake {
  hasListing(name: string): boolean;
  /** The largest body that is read at the address of a listing, or at the shared ones (null) (bytes). */
  maxBodyBytes(listing: string | null): number;
  /** The rejection of a delivery that no body can authenticate; null if the body decides. */
  rejectByHeaders(credentials: DeliveryCredentials): WebhookResponse | null;
  /** Responds after the commit. An error that is not the sender's, nor the store's, is thrown. */
  accept(incoming: IncomingDelivery): Promise<WebhookResponse>;
}
