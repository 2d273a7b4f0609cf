import { lookup, Resolver } from 'node:dns/promises';
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { second } from '../durations.ts';
import { TallyhookError } from '../errors.ts';

/** An IP address from DNS. */
export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Resolves a host name to all of its addresses. */
export type Resolve = (hostname: string) => Promise<readonly Address[]>;

/** The receivers that webhooks may be sent to. */
export interface TargetPolicy {
  /** True if this machine is allowed as well, over http and https, for the sandbox and for development. */
  readonly allowLoopback: boolean;
  /** Allows every address, over http and https, for an operator whose receivers are in the same network. */
  readonly allowPrivate?: boolean;
  readonly resolve: Resolve;
}

/** A URL with its checked addresses. Connections go to these addresses only. */
export interface WebhookTarget {
  readonly url: URL;
  readonly addresses: readonly Address[];
}

/** Why a receiver is not allowed, for texts in other languages. */
export type TargetProblem =
  | { readonly name: 'notUrl' | 'scheme' | 'credentials' | 'onlyHere' }
  | { readonly name: 'port'; readonly port: string }
  | { readonly name: 'notPublic' | 'noAddress' | 'unresolved'; readonly host: string };

/** The receiver is not allowed. The message is for its owner, in English. */
export class RejectedTargetError extends TallyhookError {
  readonly problem: TargetProblem;

  constructor(problem: TargetProblem, options: { readonly hint?: string } = {}) {
    super('webhook_url_rejected', explain(problem), options);
    this.problem = problem;
  }
}

function explain(problem: TargetProblem): string {
  switch (problem.name) {
    case 'notUrl':
      return 'This is not a URL. Enter a complete URL that begins with https://.';
    case 'scheme':
      return 'The URL must begin with https://.';
    case 'credentials':
      return 'The URL must not contain a user name or password; the signature authenticates the sender.';
    case 'port':
      return `Port ${problem.port} is not for web servers.`;
    case 'notPublic':
      return `The host ${problem.host} is not on the public internet.`;
    case 'onlyHere':
      return 'Only this machine may be called without https.';
    case 'noAddress':
      return `The host ${problem.host} has no address.`;
    case 'unresolved':
      return `The host ${problem.host} cannot be resolved.`;
  }
}

/** Ports of other protocols, whose servers could understand a part of a request (Fetch Standard, "Port blocking"). */
const blockedPorts: ReadonlySet<string> = new Set(
  (
    '1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135 ' +
    '137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 ' +
    '1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6379 6566 6665 6666 6667 6668 6669 6679 6697 10080'
  ).split(' '),
);

export const systemResolve: Resolve = async (hostname) => {
  const addresses = await lookup(hostname, { all: true, verbatim: true });
  return addresses.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
};

/**
 * Resolves public names by asking the name servers, without the hosts of this machine or its network. Unlike those of
 * {@link systemResolve}, of which two run at once in a process, queries do not wait for others whose name server is dead.
 * @param servers `address:port` each; by default those of this machine
 */
export function createPublicResolve(servers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: second, tries: 3 });
  if (servers !== undefined) resolver.setServers(servers);
  return async (hostname) => {
    const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    if (ipv4.status === 'rejected' && ipv6.status === 'rejected') throw ipv4.reason;
    return [
      ...(ipv4.status === 'fulfilled' ? ipv4.value : []).map((address) => ({ address, family: 4 as const })),
      ...(ipv6.status === 'fulfilled' ? ipv6.value : []).map((address) => ({ address, family: 6 as const })),
    ];
  };
}

/**
 * Callers that ask for the same host at the same time share one query: few run at once, and a name server that does not
 * answer would keep those of other hosts waiting.
 */
export function shareQueries(resolve: Resolve): Resolve {
  const running = new Map<string, ReturnType<Resolve>>();
  return (hostname) => {
    const query = running.get(hostname) ?? resolve(hostname).finally(() => running.delete(hostname));
    running.set(hostname, query);
    return query;
  };
}

/** Parses the URL of a receiver without resolving it. @throws RejectedTargetError */
export function readTargetUrl(text: string, policy: Omit<TargetPolicy, 'resolve'>): URL {
  if (!URL.canParse(text)) throw new RejectedTargetError({ name: 'notUrl' });
  const url = new URL(text);
  const schemes = policy.allowLoopback || policy.allowPrivate ? ['https:', 'http:'] : ['https:'];
  if (!schemes.includes(url.protocol)) throw new RejectedTargetError({ name: 'scheme' }, loopbackHint);
  if (url.username !== '' || url.password !== '') throw new RejectedTargetError({ name: 'credentials' });
  if (blockedPorts.has(url.port)) throw new RejectedTargetError({ name: 'port', port: url.port });
  return url;
}

const loopbackHint = { hint: 'For a receiver on this machine, start the service with allowLoopbackTargets: true.' };

/**
 * Resolves a receiver and checks all of its addresses, so that a host name cannot point into the network of the sender
 * (SSRF; document, section 6: "a public HTTPS endpoint"). The caller connects to these addresses without another DNS
 * query.
 * @throws RejectedTargetError
 */
export async function checkTarget(text: string, policy: TargetPolicy): Promise<WebhookTarget> {
  const url = readTargetUrl(text, policy);
  const target = await resolveTarget(url, policy.resolve);
  if (policy.allowPrivate) return target;
  for (const { address } of target.addresses) {
    if (policy.allowLoopback && isThisMachine(address)) continue;
    if (!isPublic(address)) throw new RejectedTargetError({ name: 'notPublic', host: url.hostname });
    if (url.protocol !== 'https:') throw new RejectedTargetError({ name: 'onlyHere' });
  }
  return target;
}

/**
 * Resolves a receiver without checking its addresses, for a user who calls their own receiver.
 * @throws RejectedTargetError
 */
export async function resolveTarget(url: URL, resolve: Resolve): Promise<WebhookTarget> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const literal = isIP(host);
  if (literal !== 0) return { url, addresses: [{ address: host, family: literal === 6 ? 6 : 4 }] };
  const addresses = await resolve(host).catch(() => {
    throw new RejectedTargetError({ name: 'unresolved', host });
  });
  if (addresses.length === 0) throw new RejectedTargetError({ name: 'noAddress', host });
  return { url, addresses };
}

/** IPv4 ranges that are not public unicast addresses (IANA special-purpose registry, RFC 6890 and its successors). */
const specialIpv4 = blockList(
  'ipv4',
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 ' +
    '192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 ' +
    '203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
);

/**
 * Only global unicast is public IPv6. This excludes loopback, link-local, unique local, IPv4-mapped and NAT64
 * addresses.
 */
const globalIpv6 = blockList('ipv6', '2000::/3');

/** Special ranges inside global unicast: IETF protocols with Teredo, documentation, 6to4 and AS112. */
const specialIpv6 = blockList('ipv6', '2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20');

const loopbackIpv4 = blockList('ipv4', '127.0.0.0/8');

export function isPublic(address: string): boolean {
  if (isIPv4(address)) return !specialIpv4.check(address, 'ipv4');
  return isIPv6(address) && globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
}

/** True if an IP address is this machine: a loopback address, or one of its network interfaces. */
function isThisMachine(address: string): boolean {
  const isLoopback = isIPv4(address) ? loopbackIpv4.check(address, 'ipv4') : address === '::1';
  const interfaces = () => Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return isLoopback || interfaces().some((each) => each.address === address);
}

/** @param subnets in CIDR notation, separated by spaces */
function blockList(family: 'ipv4' | 'ipv6', subnets: string): BlockList {
  const list = new BlockList();
  for (const subnet of subnets.split(' ')) {
    const [network = '', prefix] = subnet.split('/');
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
