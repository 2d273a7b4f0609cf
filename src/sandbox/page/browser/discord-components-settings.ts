import type {} from '@skyra/discord-components-core';

/** The library reads this while it is loaded, and would ask Discord's network for the default avatars otherwise. */
globalThis.$discordMessage = { avatars: { blue: '/icon.svg', default: 'blue' } };
