/** The names under which a browser on this machine knows this machine, whatever port it was mapped to. */
const loopback = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Whether a request was sent to this machine by one of its own names, or by that of `origin`. For pages that trust whoever reaches them:
 * another site can have its own name resolve to here (DNS rebinding), and then a browser takes that site's scripts for the page's own.
 * @param host the header `Host`
 */
export function isOwnHost(host: string | undefined, origin?: string): boolean {
  const name = (host ?? '').replace(/:\d+$/, '');
  return loopback.includes(name) || (origin !== undefined && name === new URL(origin).hostname);
}
