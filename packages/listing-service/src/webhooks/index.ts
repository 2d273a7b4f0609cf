/**
 * Parts of the service's webhooks, for programs that send samples of them: payloads, the check of an address, and the
 * request.
 * @module
 */

export { post } from '@tallyhook/platform/webhooks/post';
export {
  RejectedTargetError,
  resolveTarget,
  systemResolve,
  type WebhookTarget,
} from '@tallyhook/platform/webhooks/target';
export { newPurchase } from '../actions/orders.ts';
export { lifecyclePayload, type Payload, purchasePayload, votePayload } from './payloads.ts';
