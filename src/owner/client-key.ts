import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Where a proxy may stand that is believed when it says for whom it asks: on this machine or in its network. */
const nearby = new BlockList();
for (const [network, prefix] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
] as const) {
  nearby.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  nearby.addSubnet(network, prefix, 'ipv6');
}

/** For Express's `trust proxy`, which does not know an address with a port. */
export function isNearbyProxy(hop: string): boolean {
  const ip = ipIn(hop);
  return ip !== null && nearby.check(ip, isIPv4(ip) ? 'ipv4' : 'ipv6');
}

/**
 * What stands for a caller when attempts are counted: an IPv4 address, or the first 64 bits of an IPv6 address, since whoever has one
 * has all of those. All that is no address counts together.
 * @param given as a socket or `X-Forwarded-For` has it, perhaps with a port, in brackets, or with a zone
 */
export function clientKeyOf(given: string | undefined): string {
  const ip = ipIn(given ?? '');
  if (ip === null) return 'unknown';
  return isIPv4(ip) ? ip : `${ip.split(':', 4).join(':')}::/64`;
}

/** An IPv4 address, also out of an IPv6 one that maps it, or the eight groups of an IPv6 address; null where there is neither. */
function ipIn(given: string): string | null {
  const host = (/^\[([^\]]*)\]/.exec(given)?.[1] ?? given).replace(/%.*$/s, '');
  if (isIPv6(host)) return unmapped(groupsOf(host));
  const withoutPort = host.replace(/:\d+$/, '');
  return isIPv4(withoutPort) ? withoutPort : null;
}

function groupsOf(ipv6: string): readonly string[] {
  // The URL parser spells every IPv6 address in one way, without leading zeros and dotted parts.
  const [head = '', tail] = new URL(`http://[${ipv6}]`).hostname.slice(1, -1).split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after];
}

function unmapped(groups: readonly string[]): string {
  if (!groups.join(':').startsWith('0:0:0:0:0:ffff:')) return groups.join(':');
  const bytes = groups.slice(6).flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
  return bytes.join('.');
}
