import { Agent as HttpAgent, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { second } from '../../platform/durations.ts';
import type { Address, WebhookTarget } from './target.ts';

/** Connections that are kept while they are idle, in total. */
const maxIdle = 640;
/** Shorter than what most servers allow, because a server that closes a connection may lose a request (ms). */
const idleTimeoutMs = 4 * second;

/** How to connect to a target, for `request`. */
export interface ConnectionOptions extends Pick<RequestOptions, 'lookup'> {
  readonly agent: HttpAgent | false;
  readonly addresses: string;
}

/** A connection of its own, to one of the checked addresses. */
export function newConnection({ addresses }: WebhookTarget): ConnectionOptions {
  const sorted = addresses.map(({ address }) => address).sort();
  return { agent: false, lookup: fixedLookup(addresses), addresses: sorted.join(' ') };
}

export type Connections = ReturnType<typeof createConnections>;

export function createConnections() {
  const options = { keepAlive: true, timeout: idleTimeoutMs };
  const agents = { 'http:': keptByAddress(new HttpAgent(options)), 'https:': keptByAddress(new HttpsAgent(options)) };
  return {
    /** A connection that is kept is only used for a target with the same host, port and checked addresses. */
    to: (target: WebhookTarget): ConnectionOptions => ({
      ...newConnection(target),
      agent: agents[target.url.protocol === 'https:' ? 'https:' : 'http:'],
    }),
    /** Closes all connections, also those that are in use. */
    close(): void {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

function keptByAddress<Agent extends HttpAgent>(agent: Agent): Agent {
  const getName = agent.getName.bind(agent);
  const keepSocketAlive = agent.keepSocketAlive.bind(agent);
  return Object.assign(agent, {
    getName: (options?: Partial<ConnectionOptions>) => `${getName(options)} ${options?.addresses}`,
    keepSocketAlive(socket: Parameters<typeof keepSocketAlive>[0]): boolean {
      const idle = Object.values(agent.freeSockets).reduce((sum, sockets) => sum + (sockets?.length ?? 0), 0);
      const mayKeep: unknown = keepSocketAlive(socket);
      return mayKeep === true && idle < maxIdle;
    },
  });
}

/** A `lookup` function for `net.connect` that returns the checked addresses instead of querying DNS. */
function fixedLookup(addresses: readonly Address[]): LookupFunction {
  return (_hostname, options, callback) => {
    const matching = addresses.filter(({ family }) => !options.family || options.family === family);
    const [first] = matching;
    if (!first) callback(new Error('The host has no address of the requested family.'), '', 4);
    else if (options.all) callback(null, [...matching]);
    else callback(null, first.address, first.family);
  };
}
