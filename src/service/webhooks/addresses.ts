import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

/** IPv4 ranges that are not public unicast addresses (IANA special-purpose registry, RFC 6890 and its successors). */
const specialIpv4 = blockList('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]);

/**
 * Only global unicast is public IPv6. This excludes loopback, link-local, unique local, IPv4-mapped and NAT64
 * addresses.
 */
const globalIpv6 = blockList('ipv6', [['2000::', 3]]);

/** Special ranges inside global unicast: IETF protocols with Teredo, documentation, 6to4 and AS112. */
const specialIpv6 = blockList('ipv6', [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
]);

const loopbackIpv4 = blockList('ipv4', [['127.0.0.0', 8]]);

/** Whether an IP address is on the public internet. */
export function isPublic(address: string): boolean {
  if (isIPv4(address)) return !specialIpv4.check(address, 'ipv4');
  return isIPv6(address) && globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
}

/** Whether an IP address is this machine: a loopback address, or one of its network interfaces. */
export function isThisMachine(address: string): boolean {
  const isLoopback = isIPv4(address) ? loopbackIpv4.check(address, 'ipv4') : address === '::1';
  const interfaces = () => Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return isLoopback || interfaces().some((each) => each.address === address);
}

function blockList(family: 'ipv4' | 'ipv6', subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family);
  return list;
}
