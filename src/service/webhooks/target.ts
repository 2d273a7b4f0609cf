import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isLoopback, isPublic } from './addresses.ts';

/** An address of a host, as DNS gives it. */
export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Asks DNS for all addresses of a host name. */
export type Resolve = (hostname: string) => Promise<readonly Address[]>;

/** Which receivers may be called. */
export interface TargetPolicy {
  /** Also plain http and https to this machine itself, for the sandbox and for development. */
  readonly allowLoopback: boolean;
  readonly resolve: Resolve;
}

/** Where a delivery may go: the addresses that were checked, so that nothing else is connected to. */
export interface WebhookTarget {
  readonly url: URL;
  readonly addresses: readonly Address[];
}

/** A receiver that may not be called, and why, in words for its owner. */
export class RejectedTargetError extends Error {}

/** The system's own resolver. */
export const systemResolve: Resolve = async (hostname) => {
  const found = await lookup(hostname, { all: true, verbatim: true });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
};

/** Reads a receiver's URL without asking DNS: for a form, so that a typing error shows at once. */
export function readTargetUrl(text: string, policy: Pick<TargetPolicy, 'allowLoopback'>): URL {
  if (!URL.canParse(text)) throw new RejectedTargetError('This is not a URL. Write it whole, beginning with https://.');
  const url = new URL(text);
  const schemes = policy.allowLoopback ? ['https:', 'http:'] : ['https:'];
  if (!schemes.includes(url.protocol)) throw new RejectedTargetError('The URL must begin with https://.');
  if (url.username !== '' || url.password !== '') {
    throw new RejectedTargetError('The URL must not contain a user name or password; the signature proves who sends.');
  }
  return url;
}

/**
 * Resolves a receiver and checks every address that DNS gives, so that a name cannot lead into the network of the service
 * (document, section 6: "a public HTTPS endpoint"). The caller connects to these addresses and asks DNS no second time.
 * @throws RefusedTarget
 */
export async function checkTarget(text: string, policy: TargetPolicy): Promise<WebhookTarget> {
  const url = readTargetUrl(text, policy);
  const target = await resolveTarget(url, policy.resolve);
  for (const { address } of target.addresses) {
    if (policy.allowLoopback && isLoopback(address)) continue;
    if (!isPublic(address)) throw new RejectedTargetError(`The host ${url.hostname} is not on the public internet.`);
    if (url.protocol !== 'https:')
      throw new RejectedTargetError('Only this machine itself may be called without https.');
  }
  return target;
}

/** Resolves a receiver without checking where it leads, for one who calls a receiver of his own. @throws RefusedTarget */
export async function resolveTarget(url: URL, resolve: Resolve): Promise<WebhookTarget> {
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = await addressesOf(hostname, resolve);
  if (addresses.length === 0) throw new RejectedTargetError(`The host ${hostname} has no address.`);
  return { url, addresses };
}

async function addressesOf(hostname: string, resolve: Resolve): Promise<readonly Address[]> {
  const literal = isIP(hostname);
  if (literal !== 0) return [{ address: hostname, family: literal === 6 ? 6 : 4 }];
  try {
    return await resolve(hostname);
  } catch {
    throw new RejectedTargetError(`The host ${hostname} cannot be found.`);
  }
}
