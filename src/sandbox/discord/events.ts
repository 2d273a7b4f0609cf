import type { Modal } from './modal.ts';
import type { Message } from './objects.ts';

/** A gateway event. It is sent to the sessions with its intent (0: all) on the shard of its guild. */
export interface Dispatch {
  readonly name: string;
  readonly data: unknown;
  readonly intent: number;
  readonly guildId: string | null;
}

/** A change that is visible to a person who uses Discord. */
export type StateChange =
  | {
      readonly kind: 'message';
      readonly message: Message;
      /** Id of the only user who sees it; null if it is visible to all. */
      readonly onlyFor: string | null;
    }
  | { readonly kind: 'message_deleted'; readonly channelId: string; readonly messageId: string }
  | { readonly kind: 'channels' }
  | { readonly kind: 'members' }
  | { readonly kind: 'languages' }
  | { readonly kind: 'modal'; readonly interactionId: string; readonly userId: string; readonly modal: Modal }
  | { readonly kind: 'commands' }
  | { readonly kind: 'gateway'; readonly connected: boolean }
  | {
      readonly kind: 'interaction';
      readonly interactionId: string;
      readonly userId: string;
      /** A command such as `/vote trace`, the label of a button, the placeholder of a select, or the title of a modal. */
      readonly label: string;
      /** What the member did, such as `chose a channel in /setup`. */
      readonly action: string;
      readonly state: 'sent' | 'answered' | 'failed';
      /** Time since it was sent (ms). */
      readonly afterMs: number;
    };
