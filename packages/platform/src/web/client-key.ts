import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Addresses of a proxy whose `X-Forwarded-*` headers are trusted: this machine and private networks. */
const proxyAddresses = new BlockList();
for (const [network, prefix] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
] as const) {
  proxyAddresses.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  proxyAddresses.addSubnet(network, prefix, 'ipv6');
}

/** For Express's `trust proxy`, which does not support addresses with a port. */
export function isTrustedProxy(hop: string): boolean {
  const ip = parseAddress(hop);
  return ip !== null && proxyAddresses.check(ip, isIPv4(ip) ? 'ipv4' : 'ipv6');
}

/**
 * The key of a client for rate limits: an IPv4 address, or the /64 prefix of an IPv6 address, since one client usually
 * controls the whole prefix. All unparsable addresses share one key. express-rate-limit's `ipKeyGenerator` does not
 * parse ports, brackets or zones.
 * @param address of a socket or from `X-Forwarded-For`, perhaps with a port, in brackets, or with a zone
 */
export function clientKeyOf(address: string | undefined): string {
  const ip = parseAddress(address ?? '');
  if (ip === null) return 'unknown';
  return isIPv4(ip) ? ip : `${ip.split(':', 4).join(':')}::/64`;
}

/** An IPv4 address, also of an IPv4-mapped IPv6 address, or the eight groups of an IPv6 address; null for neither. */
function parseAddress(text: string): string | null {
  const host = (/^\[([^\]]*)\]/.exec(text)?.[1] ?? text).replace(/%.*$/s, '');
  if (isIPv6(host)) return mappedIPv4Or(ipv6Groups(host));
  const withoutPort = host.replace(/:\d+$/, '');
  return isIPv4(withoutPort) ? withoutPort : null;
}

function ipv6Groups(ipv6: string): readonly string[] {
  // The URL parser normalizes IPv6 addresses: no leading zeros, no dotted parts.
  const [head = '', tail] = new URL(`http://[${ipv6}]`).hostname.slice(1, -1).split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after];
}

function mappedIPv4Or(groups: readonly string[]): string {
  if (!groups.join(':').startsWith('0:0:0:0:0:ffff:')) return groups.join(':');
  const bytes = groups.slice(6).flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
  return bytes.join('.');
}
