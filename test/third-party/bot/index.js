const { readdirSync } = require('node:fs');
const { join } = require('node:path');
const { Client, Collection, GatewayIntentBits } = require('discord.js');
const { token } = require('./config.json');

const client = new Client({ intents: [GatewayIntentBits.Guilds] });

client.commands = new Collection();
client.cooldowns = new Collection();

for (const folder of readdirSync(join(__dirname, 'commands'))) {
  for (const file of readdirSync(join(__dirname, 'commands', folder))) {
    const command = require(`./commands/${folder}/${file}`);
    client.commands.set(command.data.name, command);
  }
}

for (const file of readdirSync(join(__dirname, 'events'))) {
  const event = require(`./events/${file}`);
  if (event.once) client.once(event.name, (...parameters) => event.execute(...parameters));
  else client.on(event.name, (...parameters) => event.execute(...parameters));
}

client.login(token);
