import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

export interface SecurityHeaderOptions {
  /** The whole Content-Security-Policy, since helmet's default policy is not added: `{ 'default-src': ["'none'"] }`. */
  readonly contentSecurityPolicy: Readonly<Record<string, readonly string[]>>;
  readonly referrerPolicy: 'no-referrer' | 'same-origin';
}

/**
 * The security headers of every page, as middleware of Express and of plain `node:http`: no framing, no sniffing, no
 * caching, own origin only. No HSTS: these pages may also be served over plain HTTP, and the proxy that terminates TLS
 * decides for its whole host name.
 */
export function securityHeaders({ contentSecurityPolicy, referrerPolicy }: SecurityHeaderOptions) {
  const setHeaders = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: contentSecurityPolicy },
    xFrameOptions: { action: 'deny' },
    referrerPolicy: { policy: referrerPolicy },
    strictTransportSecurity: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });
  return (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void): void => {
    response.setHeader('Cache-Control', 'no-store');
    setHeaders(request, response, next);
  };
}
