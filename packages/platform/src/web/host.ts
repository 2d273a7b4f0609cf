/** The host names by which a browser on this machine reaches this machine, on any port. */
const loopbackHosts = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * True if a request was sent to a loopback host name or to the host of `origin`. For pages that need no authentication:
 * another site could resolve its own host name to this machine (DNS rebinding), and a browser would then let that
 * site's scripts use these pages.
 * @param host the `Host` header
 */
export function isOwnHost(host: string | undefined, origin?: string): boolean {
  const name = (host ?? '').replace(/:\d+$/, '');
  return loopbackHosts.includes(name) || (origin !== undefined && name === new URL(origin).hostname);
}
