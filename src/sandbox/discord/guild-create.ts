import type { DiscordState } from './discord-state.ts';
import { intent } from './intents.ts';

/** Discord: "Guild Create". Without the members intent it contains only the bot's own member. */
export function guildCreate(state: DiscordState, intents: number) {
  const members = [...state.members.values()];
  const botMember = members.filter(({ user }) => user.id === state.bot.id);
  return {
    ...state.guild(),
    joined_at: botMember[0]?.joined_at,
    large: false,
    unavailable: false,
    member_count: members.length,
    voice_states: [],
    members: intents & intent.guildMembers ? members : botMember,
    channels: state.guildChannels(),
    threads: [],
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
}
