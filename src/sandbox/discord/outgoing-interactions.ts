import { generateKeyPairSync, sign } from 'node:crypto';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { DiscordState } from './discord-state.ts';
import { DiscordApiError, fieldError } from './errors.ts';
import type { InteractionCallbacks } from './interaction-callbacks.ts';
import { responseTimeoutMs } from './interactions.ts';

const pingType = 1;
const pongType = 1;

/** What was sent to the endpoint, and how the callback in its response was received. */
interface EndpointExchange {
  readonly interactionId: string;
  readonly callback: unknown;
  /** As for a request with the callback: 204, or the status of the error. */
  readonly status: number;
  readonly error: unknown;
}

/**
 * Interactions over HTTP: signed requests to the endpoint of the application, instead of gateway events. Discord:
 * "Preparing for Interactions", "Receiving an Interaction".
 */
export class OutgoingInteractions {
  readonly #state: DiscordState;
  readonly #callbacks: InteractionCallbacks;
  readonly #log: Log | undefined;
  readonly #onExchange: (exchange: EndpointExchange) => void;
  readonly #key = createSigningKey();
  #url: string | null = null;

  constructor(
    state: DiscordState,
    callbacks: InteractionCallbacks,
    log: Log | undefined,
    onExchange: (exchange: EndpointExchange) => void,
  ) {
    this.#state = state;
    this.#callbacks = callbacks;
    this.#log = log;
    this.#onExchange = onExchange;
  }

  /** 64 hexadecimal digits. */
  get publicKey(): string {
    return this.#key.publicKey;
  }

  /** Null if interactions are sent through the gateway. */
  get url(): string | null {
    return this.#url;
  }

  /**
   * Checks the endpoint as Discord does, with a PING that is signed correctly and one that is not, and uses it.
   * @throws DiscordApiError if it fails the check
   */
  async setUrl(url: string | null): Promise<void> {
    if (url !== null && !(await this.#isValid(url))) {
      throw fieldError(['interactions_endpoint_url'], 'APPLICATION_INTERACTIONS_ENDPOINT_URL_INVALID');
    }
    this.#url = url;
  }

  /** Sends an interaction; what it responds is handled like a request to the callback endpoint. Never rejects. */
  async send(interaction: { readonly id: string; readonly token: string }): Promise<void> {
    if (this.#url === null) return;
    try {
      const response = await this.#post(this.#url, JSON.stringify(interaction));
      // "If you send this request for an interaction received over HTTP, respond with a 202 and no body."
      if (response.status === 200) this.#receive(interaction, await response.json());
      else await response.body?.cancel();
    } catch (error) {
      this.#log?.warn({ reason: messageOf(error) }, 'the interactions endpoint failed');
    }
  }

  #receive({ id, token }: { readonly id: string; readonly token: string }, callback: unknown): void {
    const exchange = { interactionId: id, callback };
    try {
      this.#callbacks.respond(id, token, callback, []);
      this.#onExchange({ ...exchange, status: 204, error: undefined });
    } catch (error) {
      if (!(error instanceof DiscordApiError)) throw error;
      this.#onExchange({ ...exchange, status: error.status, error: error.json });
    }
  }

  async #isValid(url: string): Promise<boolean> {
    const { applicationId } = this.#state;
    const body = JSON.stringify({ id: applicationId, application_id: applicationId, type: pingType });
    try {
      const rejected = await this.#post(url, body, createSigningKey());
      await rejected.body?.cancel();
      const accepted = await this.#post(url, body);
      const isJson = accepted.headers.get('content-type')?.startsWith('application/json') ?? false;
      const pong: unknown = await accepted.json();
      const isPong = typeof pong === 'object' && pong !== null && 'type' in pong && pong.type === pongType;
      return rejected.status === 401 && accepted.status === 200 && isJson && isPong;
    } catch {
      return false;
    }
  }

  #post(url: string, body: string, key = this.#key): Promise<Response> {
    const headers = key.headersFor(body, this.#state.clock.now());
    const signal = AbortSignal.timeout(responseTimeoutMs);
    return fetch(url, { method: 'POST', body, headers, signal, redirect: 'manual' });
  }
}

/** The key pair of an application, with which Discord signs interactions over HTTP. */
export interface SigningKey {
  /** 64 hexadecimal digits, as in `verify_key` of the application. */
  readonly publicKey: string;
  /** The headers of a request with this body, signed at `now` (ms since the epoch). */
  headersFor(body: string, now: number): Readonly<Record<string, string>>;
}

/** A new Ed25519 key pair. */
export function createSigningKey(): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return {
    publicKey: Buffer.from(x, 'base64url').toString('hex'),
    headersFor(body, now) {
      const timestamp = String(Math.floor(now / 1_000));
      return {
        'content-type': 'application/json',
        'user-agent': 'Discord-Interactions/1.0 (+https://discord.com)',
        'x-signature-ed25519': sign(null, Buffer.from(timestamp + body), privateKey).toString('hex'),
        'x-signature-timestamp': timestamp,
      };
    },
  };
}
