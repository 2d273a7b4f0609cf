import type { Clock } from '@tallyhook/platform/clock';
import { minute } from '@tallyhook/platform/durations';
import type { ForeignProtocol } from '@tallyhook/platform/http/server';
import type { Log } from '@tallyhook/platform/log';
import { createThrottledLog } from '@tallyhook/platform/throttled-log';
import type { Metrics } from '../core/metrics.ts';

const hints: Readonly<Record<ForeignProtocol, string>> = {
  PROXY: 'A load balancer or proxy sends the PROXY protocol. Switch it off there, for this target.',
  TLS: 'This port speaks plain HTTP. Enter an http:// address at the proxy or tunnel, which ends TLS itself.',
  'HTTP/2': 'A proxy speaks HTTP/2 without TLS. Have it use HTTP/1.1 for this target.',
  unknown: 'Another program, or a scanner, uses this port. If it is a proxy, have it send plain HTTP/1.1.',
};

/** Counts and logs what the port receives that is no HTTP: behind a proxy that sends it, no vote arrives. */
export function createForeignBytesReport({ metrics, clock, log }: { metrics: Metrics; clock: Clock; log: Log }) {
  const logThrottled = createThrottledLog({ log, clock, intervalMs: minute });
  return (protocol: ForeignProtocol): void => {
    metrics.misdirected.inc({ reason: 'no_http' });
    const message = 'the port received bytes that are no HTTP request; responded with 400';
    logThrottled('warn', protocol, message, { protocol, hint: hints[protocol] });
  };
}
