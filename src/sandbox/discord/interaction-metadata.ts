import type { DiscordState } from './discord-state.ts';
import { type Interaction, type Interactions, interactionType } from './interactions.ts';
import type { InteractionMetadata } from './objects.ts';

/** What a message says of the interaction that it came from. Discord: "Message Interaction Metadata Object". */
export function toMetadata(
  interaction: Interaction,
  state: DiscordState,
  interactions: Interactions,
): InteractionMetadata {
  const { id, type, userId, channelId, sourceId, openerId, originalId } = interaction;
  const channel = state.channels.get(channelId);
  const user = state.user(userId);
  const opener = openerId === undefined ? undefined : interactions.find(openerId);
  return {
    id,
    type,
    ...(user && { user }),
    authorizing_integration_owners: { '0': channel?.type === 0 ? channel.guild_id : '0' },
    // "Present only on follow-up messages."
    ...(originalId === null ? {} : { original_response_message_id: originalId }),
    ...(type === interactionType.component && sourceId !== null ? { interacted_message_id: sourceId } : {}),
    ...(opener && {
      triggering_interaction_metadata: toMetadata({ ...opener, originalId: null }, state, interactions),
    }),
  };
}
