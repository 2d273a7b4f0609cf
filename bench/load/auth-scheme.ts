import { type SignedBody, secret } from './vote.ts';

/** How a delivery says who sent it. */
export type AuthScheme = 'tallyhook' | 'top.gg' | 'github';

/** The headers that a contender wants to see beside those that every request has. */
const headers: Readonly<Record<AuthScheme, (vote: SignedBody, number: number) => string>> = {
  tallyhook: ({ signature }) => `x-webhook-signature: ${signature}\r\n`,
  'top.gg': () => `authorization: ${secret}\r\n`,
  github: ({ signature }, number) =>
    `x-github-event: star\r\nx-github-delivery: ${number}\r\nx-hub-signature-256: sha256=${signature}\r\n`,
};

/** The delivery as it goes over the wire, byte for byte. */
export function request(dialect: AuthScheme, path: string, vote: SignedBody, number: number): string {
  return (
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n` +
    `${headers[dialect](vote, number)}content-length: ${Buffer.byteLength(vote.body)}\r\n\r\n${vote.body}`
  );
}
