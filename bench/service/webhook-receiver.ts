import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../process/listen.ts';

/** A receiver of webhooks, which notes the requests of each delivery. */
export interface WebhookReceiver {
  /** The receiver that answers after some milliseconds. Each number is another webhook of the same receiver. */
  url(answerAfterMs: number, webhook: number): string;
  /** A receiver that never answers. */
  readonly deadUrl: string;
  /** When each delivery was received (ms, as `performance.now()`), by its id; without those that were not answered. */
  readonly received: ReadonlyMap<string, readonly number[]>;
  /** Connections that were opened. */
  connections(): number;
  /** Resolves when these deliveries have arrived, with the time of the last. Rejects if one does not, or twice. */
  untilDelivered(ids: readonly string[]): Promise<number>;
  stop(): void;
}

/** A queue from which nothing leaves for so long has lost a delivery (ms). */
const patienceMs = 60_000;

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received = new Map<string, number[]>();
  let connections = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const [, answer = ''] = (request.url ?? '').split('/');
      if (answer === 'dead') return;
      const id = String(request.headers['x-webhook-id']);
      received.set(id, [...(received.get(id) ?? []), performance.now()]);
      const respond = () => void response.end('{"received":true}');
      if (answer === '0') respond();
      else setTimeout(respond, Number(answer));
    });
  });
  server.on('connection', () => (connections += 1));
  const base = `http://127.0.0.1:${await listen(server)}`;
  return {
    url: (answerAfterMs, webhook) => `${base}/${answerAfterMs}/${webhook}`,
    deadUrl: `${base}/dead`,
    received,
    connections: () => connections,
    async untilDelivered(ids) {
      const deadline = performance.now() + patienceMs;
      const isMissing = (id: string) => !received.has(id);
      while (ids.some(isMissing)) {
        if (performance.now() > deadline) throw new Error(`${ids.filter(isMissing).length} webhooks did not arrive.`);
        await sleep(1);
      }
      const arrivals = ids.flatMap((id) => received.get(id) ?? []);
      if (arrivals.length > ids.length)
        throw new Error(`${arrivals.length - ids.length} requests repeated a webhook that had arrived.`);
      return arrivals.reduce((last, at) => Math.max(last, at), 0);
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
