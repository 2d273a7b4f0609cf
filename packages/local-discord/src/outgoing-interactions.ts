import { createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto';
import { messageOf } from '@tallyhook/platform/errors';
import { objectOf } from '@tallyhook/platform/json';
import type { Log } from '@tallyhook/platform/log';
import { parseBody, type RequestBody } from './body.ts';
import { httpExchanges } from './diagnostics.ts';
import type { DiscordState } from './discord-state.ts';
import { DiscordApiError, fieldError } from './errors.ts';
import type { InteractionCallbacks } from './interaction-callbacks.ts';
import { responseTimeoutMs } from './interactions.ts';

const pingType = 1;
const pongType = 1;

/**
 * Interactions over HTTP: signed requests to the endpoint of the application, instead of gateway events. Discord:
 * "Preparing for Interactions", "Receiving an Interaction".
 */
export class OutgoingInteractions {
  readonly #state: DiscordState;
  readonly #callbacks: InteractionCallbacks;
  readonly #log: Log | undefined;
  readonly #key: SigningKey;
  /** Null if interactions are sent through the gateway. */
  url: string | null = null;

  constructor(state: DiscordState, callbacks: InteractionCallbacks, key: SigningKey, log: Log | undefined) {
    this.#state = state;
    this.#key = key;
    this.#callbacks = callbacks;
    this.#log = log;
  }

  /** 64 hexadecimal digits. */
  get publicKey(): string {
    return this.#key.publicKey;
  }

  /**
   * Checks the endpoint as Discord does, with a PING that is signed correctly and one that is not, and uses it.
   * @throws DiscordApiError if it fails the check
   */
  async setUrl(url: string | null): Promise<void> {
    if (url !== null && !(await this.#isValid(url))) {
      throw fieldError(['interactions_endpoint_url'], 'APPLICATION_INTERACTIONS_ENDPOINT_URL_INVALID');
    }
    this.url = url;
  }

  /** Sends an interaction; what it responds is handled like a request to the callback endpoint. Never rejects. */
  async send(interaction: { readonly id: string; readonly token: string }): Promise<void> {
    if (this.url === null) return;
    try {
      const response = await this.#post(this.url, JSON.stringify(interaction));
      // "If you send this request for an interaction received over HTTP, respond with a 202 and no body."
      if (response.status === 200) this.#receive(interaction, await readCallback(response));
      else await response.body?.cancel();
    } catch (error) {
      this.#log?.warn({ reason: messageOf(error) }, 'the interactions endpoint failed');
    }
  }

  /**
   * Treats a response to the HTTP request of an interaction like a request to its callback, which has no token here.
   */
  #receive({ id, token }: { readonly id: string; readonly token: string }, { json, files }: RequestBody): void {
    const path = `/interactions/${id}/{token}/callback`;
    const request = { at: this.#state.clock.now(), method: 'POST', path, query: '', headers: {}, body: json };
    try {
      this.#callbacks.respond(id, token, json, files);
      httpExchanges.publish({ ...request, status: 204, response: undefined });
    } catch (error) {
      if (!(error instanceof DiscordApiError)) throw error;
      httpExchanges.publish({ ...request, status: error.status, response: error.json });
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
      const { type } = objectOf(await accepted.json());
      return rejected.status === 401 && accepted.status === 200 && isJson && type === pongType;
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

/** A response may be a form with files, as a request to the callback endpoint. Discord: "Uploading Files". */
async function readCallback(response: Response): Promise<RequestBody> {
  const bytes = Buffer.from(await response.arrayBuffer());
  return await parseBody(bytes, response.headers.get('content-type') ?? '');
}

/** The key pair of an application, with which Discord signs interactions over HTTP. */
export type SigningKey = ReturnType<typeof createSigningKey>;

/** The prefix of the 32 bytes of an Ed25519 private key in PKCS #8. RFC 8410, section 7. */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** An Ed25519 key pair. @param seed the private key: 32 bytes */
export function createSigningKey(seed: Buffer = randomBytes(32)) {
  const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  return {
    /** 64 hexadecimal digits, as in `verify_key` of the application. */
    publicKey: Buffer.from(x, 'base64url').toString('hex'),
    /** The headers of a request with this body, signed at `now` (ms since the epoch). */
    headersFor(body: string, now: number) {
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
