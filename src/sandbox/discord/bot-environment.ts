/** Directs discord.js to the server that the variables name, before a bot starts. */
const preload = new URL('./direct-discordjs.js', import.meta.url);

/** Variables with which a bot in a process of its own uses a local Discord, unchanged. */
export function botEnvironment(discord: {
  readonly apiUrl: string;
  readonly token: string;
  readonly applicationId: string;
  readonly guildId: string;
}): Readonly<Record<string, string>> {
  return {
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    CLIENT_ID: discord.applicationId,
    GUILD_ID: discord.guildId,
    NODE_OPTIONS: `--import=${preload.href}`,
  };
}
