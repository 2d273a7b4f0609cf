import type { Family } from '../ledger/event.ts';
import type { Clock } from '../platform/clock.ts';
import { StoreUnavailableError, TallyhookError } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import type { Recorder } from '../tally/recorder.ts';
import type { RoutedDelivery } from '../tally/routed-delivery.ts';
import type { Delivery, Outcome, RecordedDelivery } from '../tally/tally.ts';
import { defaultVoteOf } from './default-vote.ts';
import type { Keyring, SecretScope } from './keyring.ts';
import { familyIn, kindIn, parseJson, readPayload } from './payload.ts';
import { routeDelivery } from './route-delivery.ts';
import { isSignature } from './signature.ts';

/** What the head of a request says of its sender. */
export interface DeliveryCredentials {
  /** The family of the path; null for the path that takes either. */
  readonly family: Family | null;
  /** The header `x-webhook-signature` (document, section 5.7). */
  readonly signature: string | undefined;
  /** The header `Authorization`, verbatim. */
  readonly authorization: string | undefined;
}

/** A delivery as it stands at the door. */
export interface IncomingDelivery extends DeliveryCredentials {
  readonly body: Buffer;
}

/** What the sender is told. With 503 nothing was kept: it is to send again after so many seconds. */
export type WebhookResponse =
  | { readonly status: 200; readonly outcome: Outcome }
  | { readonly status: 400 | 401; readonly error: string }
  | { readonly status: 503; readonly error: string; readonly retryAfterSeconds: number };

/** What stands between the receiver's bytes and the recorder. */
export interface Intake {
  /** The refusal of a delivery that no body could save; null where the body decides. */
  rejectUnread(claim: DeliveryCredentials): WebhookResponse | null;
  /**
   * Verifies, reads and records. A {@link TallyhookError} of the recorder becomes a 503; whatever else it throws is
   * thrown on.
   */
  accept(arrival: IncomingDelivery): Promise<WebhookResponse>;
}

/** Bytes from outside become a trusted event, and the answer follows the commit. */
export function createIntake(options: {
  keyring: Keyring;
  recorder: Recorder;
  clock: Clock;
  log: Log;
  /** After each commit: there may be effects to do. */
  onRecorded?: (recorded: RecordedDelivery) => void;
}): Intake {
  const { keyring, recorder, clock, log, onRecorded = () => {} } = options;

  /** Who may have sent it, and what. Null when nobody that is known has. */
  function authenticate(
    arrival: IncomingDelivery,
  ): { scopes: readonly SecretScope[]; text: string; signed: boolean } | null {
    if (arrival.signature !== undefined) {
      const verified = keyring.verify(arrival.body, arrival.signature);
      return verified && { ...verified, signed: true };
    }
    if (arrival.authorization === undefined) return null;
    const scopes = keyring.authorize(arrival.authorization);
    return scopes.length === 0 ? null : { scopes, text: arrival.body.toString('utf8'), signed: false };
  }

  async function commit(delivery: Delivery, meaning: RoutedDelivery): Promise<WebhookResponse> {
    try {
      const recorded = await recorder.record(delivery, meaning);
      report(recorded, log);
      onRecorded(recorded);
      return { status: 200, outcome: recorded.outcome };
    } catch (error) {
      if (!(error instanceof TallyhookError)) throw error;
      const cause = error instanceof StoreUnavailableError ? String(error.cause) : undefined;
      log.error(
        { code: error.code, cure: error.hint, cause },
        'a delivery could not be stored; its sender is told to come back',
      );
      return { status: 503, error: error.message, retryAfterSeconds: 5 };
    }
  }

  return {
    rejectUnread(claim) {
      const { signature, authorization } = claim;
      const mayBeKnown =
        signature === undefined
          ? authorization !== undefined && keyring.authorize(authorization).length > 0
          : isSignature(signature);
      return mayBeKnown ? null : { status: 401, error: whyRefused(claim) };
    },

    async accept(arrival) {
      const sender = authenticate(arrival);
      if (sender === null) return { status: 401, error: whyRefused(arrival) };
      const ofPath = sender.scopes.filter(({ family }) => arrival.family === null || family === arrival.family);
      if (ofPath.length === 0) return { status: 401, error: otherFamily };

      const json = parseJson(sender.text);
      if (json === undefined)
        return { status: 400, error: sender.text === '' ? 'The body is empty.' : 'The body is not JSON.' };

      const receivedAt = clock.now();
      const premiumPath = ofPath.every(({ family }) => family === 'premium');
      const defaultVote = defaultVoteOf(ofPath, sender);
      const reading = readPayload(json.value, { premiumPath, now: receivedAt, defaultVote });
      const family = familyIn(reading);
      const scopes = ofPath.filter((grant) => family === null || grant.family === family);
      const [grant] = scopes;
      if (grant === undefined) return { status: 401, error: otherFamily };
      if (!sender.signed && kindIn(reading) === 'bot_vote')
        return { status: 401, error: 'Only server votes may come unsigned.' };
      return commit({ receivedAt, family: grant.family, body: sender.text }, routeDelivery(reading, scopes));
    },
  };
}

const otherFamily =
  'The signature is right, but of the other family: votes and premium events have secrets and paths of their own.';

/** The likely mistake, without telling a stranger anything about the secrets. */
function whyRefused({ signature }: DeliveryCredentials): string {
  if (signature === undefined) return 'The header x-webhook-signature is missing.';
  if (!isSignature(signature)) return 'The signature is not 64 lowercase hex digits.';
  return 'The signature does not match. Compare the secret with the one in the dashboard, and mind a space or line break at its end.';
}

function report(recorded: RecordedDelivery, log: Log): void {
  const { outcome, deliveryId, credits, reason } = recorded;
  const line = { delivery: deliveryId, outcome, credits, reason };
  if (outcome === 'quarantined') log.warn(line, 'a signed delivery was not understood; it is kept and can be replayed');
  else log.debug(line, 'delivery');
}
