/** The result of a delivery, in the response to the sender and in the owner API. */
export const outcomes = ['recorded', 'duplicate', 'test', 'quarantined'] as const;
export type Outcome = (typeof outcomes)[number];

/** The response to the sender. With 503 nothing is stored; the sender should retry after `retryAfterSeconds`. */
export type WebhookResponse =
  | { readonly status: 200; readonly outcome: Outcome }
  | { readonly status: 400 | 401; readonly error: string }
  | { readonly status: 503; readonly error: string; readonly retryAfterSeconds: number };

/** The response to a request that is no acceptable delivery, whatever its sender. */
export type Rejection =
  | { readonly status: 405; readonly error: string; readonly allow: string }
  | { readonly status: 413 | 415; readonly error: string }
  | { readonly status: 503; readonly error: string; readonly retryAfterSeconds: number };
