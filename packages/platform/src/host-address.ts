/** The base URL of a port on a host: a name or an IP address, which needs brackets if it is IPv6. */
export function hostUrl(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * True if a server that listens on this host accepts connections to all addresses of the machine: `0.0.0.0` or `::` in
 * any spelling, such as `0`, or an empty host. No client can rely on such an address as a target.
 */
export function isWildcardHost(host: string): boolean {
  const url = hostUrl(host, 80);
  return host === '' || (URL.canParse(url) && /^(0\.0\.0\.0|\[::\]|\[::ffff:0:0\])$/.test(new URL(url).hostname));
}

/** The base URL by which this machine reaches a server that listens on the host; a wildcard becomes the loopback address. */
export function localUrl(host: string, port: number): string {
  if (!isWildcardHost(host)) return hostUrl(host, port);
  // A server on `::` accepts IPv4 only if the system maps it, one on `::ffff:0:0` accepts nothing else.
  return hostUrl(host.includes(':') && !/ffff/i.test(host) ? '::1' : '127.0.0.1', port);
}
