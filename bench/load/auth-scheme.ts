import { type SignedBody, secret } from './vote.ts';

/** How a delivery is authenticated. */
export type AuthScheme = 'tallyhook' | 'top.gg' | 'top.gg v1' | 'github';

/** The headers that a contender requires in addition to the common ones. */
const headers: Readonly<Record<AuthScheme, (vote: SignedBody, number: number) => string>> = {
  tallyhook: ({ signature }) => `x-webhook-signature: ${signature}\r\n`,
  'top.gg': () => `authorization: ${secret}\r\n`,
  'top.gg v1': ({ signature }) => `x-topgg-signature: ${signature}\r\n`,
  github: ({ signature }, number) =>
    `x-github-event: star\r\nx-github-delivery: ${number}\r\nx-hub-signature-256: sha256=${signature}\r\n`,
};

/** The delivery as bytes on the wire. */
export function request(dialect: AuthScheme, path: string, vote: SignedBody, number: number): string {
  return (
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n` +
    `${headers[dialect](vote, number)}content-length: ${Buffer.byteLength(vote.body)}\r\n\r\n${vote.body}`
  );
}
