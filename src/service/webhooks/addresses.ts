import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** IPv4 that is not one machine on the public internet (IANA's special-purpose registry, RFC 6890 and its successors). */
const special4 = blockList('ipv4', [
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

/** Only global unicast is public IPv6; that leaves out loopback, link-local, unique local, IPv4-mapped and NAT64 forms. */
const global6 = blockList('ipv6', [['2000::', 3]]);

/** Parts of global unicast that lead elsewhere: IETF protocols with Teredo, documentation, 6to4, and the IPv4 inside them. */
const special6 = blockList('ipv6', [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
]);

const loopback4 = blockList('ipv4', [['127.0.0.0', 8]]);

/** Whether an address, as DNS gives it, is a machine on the public internet. */
export function isPublic(address: string): boolean {
  if (isIPv4(address)) return !special4.check(address, 'ipv4');
  return isIPv6(address) && global6.check(address, 'ipv6') && !special6.check(address, 'ipv6');
}

/** Whether an address is this machine itself. */
export function isLoopback(address: string): boolean {
  return isIPv4(address) ? loopback4.check(address, 'ipv4') : address === '::1';
}

function blockList(family: 'ipv4' | 'ipv6', subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family);
  return list;
}
