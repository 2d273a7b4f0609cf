import { z } from 'zod';
import { choice } from './command-schema.ts';
import { messageFlag } from './message-flags.ts';
import { messageSchema } from './message-schema.ts';
import { modalSchema } from './modal.ts';

/** Interaction callback types. Discord: "Interaction Response Object". */
export const callbackType = {
  message: 4,
  deferredMessage: 5,
  deferredUpdate: 6,
  update: 7,
  choices: 8,
  modal: 9,
} as const;

const choices = z.object({ choices: z.array(choice).max(25) });

/** "The only valid message flag you may use is EPHEMERAL"; IS_COMPONENTS_V2 belongs to the edit that follows. */
const deferral = z.object({ flags: z.literal([0, messageFlag.ephemeral]).nullish() }).nullish();
const flags = z.object({ flags: z.int().nullish() }).nullish();

export const callbackSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal(callbackType.message), data: messageSchema }),
  z.object({ type: z.literal(callbackType.deferredMessage), data: deferral }),
  z.object({ type: z.literal(callbackType.deferredUpdate), data: flags }),
  z.object({ type: z.literal(callbackType.update), data: messageSchema }),
  z.object({ type: z.literal(callbackType.choices), data: choices }),
  z.object({ type: z.literal(callbackType.modal), data: modalSchema }),
]);

export type Callback = z.output<typeof callbackSchema>;
