/** The events that a session subscribes to. Discord: "Gateway Intents". */
export const intent = {
  guilds: 1 << 0,
  guildMembers: 1 << 1,
  guildPresences: 1 << 8,
  guildMessages: 1 << 9,
  directMessages: 1 << 12,
  messageContent: 1 << 15,
} as const;

/** All intents that Discord defines; any other bit is invalid (close code 4013). */
export const knownIntents = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20, 21, 24, 25].reduce(
  (set, bit) => set | (1 << bit),
  0,
);

/** The intents that must be enabled for an application (close code 4014). */
export const privilegedIntents = intent.guildMembers | intent.guildPresences | intent.messageContent;

/** Discord: "Message Types". */
export const messageType = { default: 0, threadCreated: 18, reply: 19, slashCommand: 20, menuCommand: 23 };

/** Discord: "Application Command Types"; `user` and `message` are in the menu of one. */
export const commandType = { slash: 1, user: 2, message: 3 } as const;
