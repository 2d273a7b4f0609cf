const { readdirSync } = require('node:fs');
const { join } = require('node:path');
const { REST, Routes } = require('discord.js');
const { clientId, guildId, token } = require('./config.json');

const commands = readdirSync(join(__dirname, 'commands')).flatMap((folder) =>
  readdirSync(join(__dirname, 'commands', folder)).map((file) => require(`./commands/${folder}/${file}`).data.toJSON()),
);

const rest = new REST().setToken(token);

(async () => {
  const deployed = await rest.put(Routes.applicationGuildCommands(clientId, guildId), { body: commands });
  console.log(`Deployed ${deployed.length} commands.`);
})();
