/** What to do when Discord does not accept the token (REST 401, gateway close code 4004). */
export const tokenHint =
  'Copy the bot token anew from the Discord developer portal (your application → Bot → Reset Token) into DISCORD_TOKEN and start again.';
