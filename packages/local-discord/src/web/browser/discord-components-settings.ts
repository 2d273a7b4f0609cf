import type {} from '@skyra/discord-components-core';

/** Must run before the components are imported, which read it on load; without it they load default avatars from Discord's CDN. */
globalThis.$discordMessage = { avatars: { blue: '/icon.svg', default: 'blue' } };
