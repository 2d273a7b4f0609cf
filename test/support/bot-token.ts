/** A token in the form of those of discord.com, which nobody has: without another DISCORD_API_URL, others are refused. */
export const botToken = 'NjEzNDI1NjQ4Njg1NTQ3NTQy.GtEsTs.a-signature-that-nobody-has-made-0000';
