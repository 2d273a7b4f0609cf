import type { HandlerKind } from '../../core/outbox/handler-events.ts';
import type { QueueName } from '../../core/outbox/queue.ts';
import { queueName } from '../../core/outbox/queue.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import type { ClaimRecorder, Recorder } from '../../core/tally/recorder.ts';
import type { RoutedDelivery } from '../../core/tally/tally.ts';

/** The kinds of handlers that the recording of deliveries and claims can call. */
const recordedKinds: readonly HandlerKind[] = ['vote', 'premium', 'streak', 'milestone'];

/** Adds to each recorded listing which kinds of handlers to enqueue calls for. */
export interface HandlerRecording {
  recorder(recorder: Recorder): Recorder;
  claims(claims: ClaimRecorder): ClaimRecorder;
}

/** Of a program that has no handlers. */
export const unhandledRecording: HandlerRecording = { recorder: (recorder) => recorder, claims: (claims) => claims };

/**
 * @param kinds the kinds for which there are handlers now
 * @param nudge called after each commit, with the queues that may have new calls
 */
export function createHandlerRecording(
  kinds: () => readonly HandlerKind[],
  nudge: (queues: readonly QueueName[]) => void,
): HandlerRecording {
  /** The result is the same object for the same listing: a listing is used for many votes. */
  let known = new WeakMap<ListingContext, ListingContext>();
  let knownKinds: readonly HandlerKind[] = [];

  function withHandled<Listing extends ListingContext>(listing: Listing): Listing {
    if (knownKinds !== kinds()) {
      knownKinds = kinds();
      known = new WeakMap();
    }
    const handled = (known.get(listing) as Listing | undefined) ?? { ...listing, handled: knownKinds };
    known.set(listing, handled);
    return handled;
  }

  function routedWithHandled(routed: RoutedDelivery): RoutedDelivery {
    if (kinds().length === 0) return routed;
    switch (routed.type) {
      case 'event':
        return { ...routed, listing: withHandled(routed.listing) };
      case 'order':
        return { ...routed, listings: routed.listings.map(withHandled) };
      case 'test':
      case 'ignored':
      case 'quarantine':
        return routed;
    }
  }

  async function nudgeAfter<Result>(recording: Promise<Result>, listings: readonly ListingContext[]): Promise<Result> {
    const result = await recording;
    const called = recordedKinds.filter((kind) => kinds().includes(kind));
    nudge(listings.flatMap(({ community }) => called.map((kind) => queueName('handler', community.id, kind))));
    return result;
  }

  function listingsOf(routed: RoutedDelivery): readonly ListingContext[] {
    if (routed.type === 'event') return [routed.listing];
    return routed.type === 'order' ? routed.listings : [];
  }

  return {
    recorder: ({ record, recordReplay }) => ({
      record(delivery, routed) {
        const recording = record(delivery, routedWithHandled(routed));
        return kinds().length === 0 ? recording : nudgeAfter(recording, listingsOf(routed));
      },
      recordReplay(id, delivery, routed, now) {
        const recording = recordReplay(id, delivery, routedWithHandled(routed), now);
        return kinds().length === 0 ? recording : nudgeAfter(recording, listingsOf(routed));
      },
    }),
    claims: ({ recordClaim }) => ({
      recordClaim(claim, listing, now) {
        if (kinds().length === 0) return recordClaim(claim, listing, now);
        return nudgeAfter(recordClaim(claim, withHandled(listing), now), [listing]);
      },
    }),
  };
}
