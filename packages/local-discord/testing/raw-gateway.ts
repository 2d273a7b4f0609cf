import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { LocalDiscord } from '../src/local-discord.ts';

export interface Payload {
  readonly op: number;
  readonly t: string | null;
  readonly s: number | null;
  readonly d: unknown;
}

/** A gateway client without automatic behavior. */
export class Client {
  /** Resolves with the close code. */
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;
  readonly #received: Payload[] = [];
  readonly #waiting: { matches: (payload: Payload) => boolean; resolve: (payload: Payload) => void }[] = [];

  constructor(url: string) {
    this.#socket = new WebSocket(url);
    this.#socket.on('message', (data) => this.#take(JSON.parse((data as Buffer).toString('utf8'))));
    this.closed = once(this.#socket, 'close').then(([code]) => code as number);
    onTestFinished(() => this.#socket.terminate());
  }

  /** Connects and waits for hello. */
  static async greeted(discord: LocalDiscord, query = '?v=10&encoding=json'): Promise<Client> {
    const client = new Client(discord.gatewayUrl + query);
    await client.op(10);
    return client;
  }

  /** Connects and identifies. */
  static async ready(discord: LocalDiscord, intents = 1): Promise<Client> {
    const client = await Client.greeted(discord);
    client.identify({ token: discord.token, intents });
    await client.dispatch('READY');
    return client;
  }

  identify(d: { token: string; intents: number; shard?: [number, number] }): void {
    this.send({ op: 2, d: { properties: {}, ...d } });
  }

  send(payload: unknown): void {
    this.#socket.send(typeof payload === 'string' ? payload : JSON.stringify(payload));
  }

  close(code: number): void {
    this.#socket.close(code);
  }

  /** The next payload with this opcode. */
  op(op: number): Promise<Payload> {
    return this.#next((payload) => payload.op === op);
  }

  /** The data of the next dispatch with this name. */
  async dispatch(name: string): Promise<unknown> {
    return (await this.#next(({ t }) => t === name)).d;
  }

  /** Payloads that no call has consumed. */
  get unread(): readonly Payload[] {
    return this.#received;
  }

  #next(matches: (payload: Payload) => boolean): Promise<Payload> {
    const index = this.#received.findIndex(matches);
    const [found] = index === -1 ? [] : this.#received.splice(index, 1);
    if (found !== undefined) return Promise.resolve(found);
    return new Promise((resolve) => this.#waiting.push({ matches, resolve }));
  }

  #take(payload: Payload): void {
    const index = this.#waiting.findIndex(({ matches }) => matches(payload));
    const [waiting] = index === -1 ? [] : this.#waiting.splice(index, 1);
    if (waiting === undefined) this.#received.push(payload);
    else waiting.resolve(payload);
  }
}
