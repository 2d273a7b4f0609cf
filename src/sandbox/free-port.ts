import { createServer } from 'node:net';

/** The wanted port if nobody listens there, else 0: any that is free. */
export function freePort(host: string, wanted: number): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(0));
    probe.listen(wanted, host, () => probe.close(() => resolve(wanted)));
  });
}
