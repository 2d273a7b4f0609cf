import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { TallyhookError } from '../../platform/errors.ts';
import { isPublic, isThisMachine } from './addresses.ts';

/** An IP address from DNS. */
export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Resolves a host name to all of its addresses. */
export type Resolve = (hostname: string) => Promise<readonly Address[]>;

/** The receivers that webhooks may be sent to. */
export interface TargetPolicy {
  /** Also allows this machine, over http and https, for the sandbox and for development. */
  readonly allowLoopback: boolean;
  readonly resolve: Resolve;
}

/** A URL with its checked addresses. Connections go to these addresses only. */
export interface WebhookTarget {
  readonly url: URL;
  readonly addresses: readonly Address[];
}

/** The receiver is not allowed. The message is for the owner of the listing. */
export class RejectedTargetError extends TallyhookError {
  constructor(message: string, options: { readonly hint?: string } = {}) {
    super('webhook_url_rejected', message, options);
  }
}

const loopbackHint = { hint: 'For a receiver on this machine, start the service with allowLoopbackTargets: true.' };

/** Ports of other protocols, whose servers could understand a part of a request (Fetch Standard, "Port blocking"). */
const blockedPorts: ReadonlySet<string> = new Set(
  (
    '1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135 ' +
    '137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 ' +
    '1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6379 6566 6665 6666 6667 6668 6669 6679 6697 10080'
  ).split(' '),
);

/** The resolver of the operating system. */
export const systemResolve: Resolve = async (hostname) => {
  const addresses = await lookup(hostname, { all: true, verbatim: true });
  return addresses.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
};

/** Parses the URL of a receiver without resolving it. @throws RejectedTargetError */
export function readTargetUrl(text: string, policy: Pick<TargetPolicy, 'allowLoopback'>): URL {
  if (!URL.canParse(text))
    throw new RejectedTargetError('This is not a URL. Enter a complete URL that begins with https://.');
  const url = new URL(text);
  const schemes = policy.allowLoopback ? ['https:', 'http:'] : ['https:'];
  if (!schemes.includes(url.protocol)) throw new RejectedTargetError('The URL must begin with https://.', loopbackHint);
  if (url.username !== '' || url.password !== '') {
    throw new RejectedTargetError(
      'The URL must not contain a user name or password; the signature authenticates the sender.',
    );
  }
  if (blockedPorts.has(url.port)) throw new RejectedTargetError(`Port ${url.port} is not for web servers.`);
  return url;
}

/**
 * Resolves a receiver and checks all of its addresses, so that a host name cannot point into the network of the service
 * (SSRF; document, section 6: "a public HTTPS endpoint"). The caller connects to these addresses without another DNS
 * query.
 * @throws RejectedTargetError
 */
export async function checkTarget(text: string, policy: TargetPolicy): Promise<WebhookTarget> {
  const url = readTargetUrl(text, policy);
  const target = await resolveTarget(url, policy.resolve);
  for (const { address } of target.addresses) {
    if (policy.allowLoopback && isThisMachine(address)) continue;
    if (!isPublic(address)) throw new RejectedTargetError(`The host ${url.hostname} is not on the public internet.`);
    if (url.protocol !== 'https:') throw new RejectedTargetError('Only this machine may be called without https.');
  }
  return target;
}

/**
 * Resolves a receiver without checking its addresses, for a user who calls their own receiver.
 * @throws RejectedTargetError
 */
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
    throw new RejectedTargetError(`The host ${hostname} cannot be resolved.`);
  }
}
