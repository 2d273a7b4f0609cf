/** The lines with which a bot sets another address of Discord in its library. */
interface LibraryAddress {
  /** One library, or several that have the same option. */
  readonly libraries: string;
  /** Lines of the bot's program with the addresses; a `#` begins a comment. */
  readonly lines: readonly string[];
}

interface Addresses {
  readonly apiUrl: string;
  readonly gatewayUrl: string;
  readonly origin: string;
}

/** By library. docs/local-discord.md explains them. */
export function libraryAddresses({ apiUrl, gatewayUrl, origin }: Addresses): readonly LibraryAddress[] {
  const { hostname, port } = new URL(apiUrl);
  const agent = `Object.assign(new https.Agent(), { defaultPort: ${port}, createConnection: new http.Agent().createConnection })`;
  return [
    { libraries: 'discord.js, Sapphire, discordx', lines: [`new Client({ …, rest: { api: '${apiUrl}' } })`] },
    { libraries: '@discordjs/core', lines: [`new REST({ api: '${apiUrl}', version: '10' })`] },
    { libraries: 'oceanic.js', lines: [`new Client({ …, rest: { baseURL: '${apiUrl}/v10' } })`] },
    { libraries: 'slash-create', lines: [`new SlashCreator({ …, rest: { baseURL: '${apiUrl}/v10' } })`] },
    {
      libraries: 'eris',
      lines: [
        `const agent = ${agent}`,
        `new Client(token, { …, rest: { agent, domain: '${hostname}', baseURL: '/api/v10' } })`,
      ],
    },
    {
      libraries: 'seyfert',
      lines: [
        `https.globalAgent = ${agent}`,
        `client.setServices({ rest: new ApiHandler({ token, domain: '${origin}' }) })`,
      ],
    },
    {
      libraries: 'discord.py',
      lines: [
        `discord.http.Route.BASE = '${apiUrl}/v10'`,
        `discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL('${gatewayUrl}')`,
      ],
    },
  ];
}
