import { parseArgs } from 'node:util';
import { describeConfig } from '../../config/describe.ts';
import { listingsFileSchema } from '../../config/listings-file.ts';
import { exit, type Terminal } from '../terminal/terminal.ts';
import { withConfig } from '../terminal/with-settings.ts';

const help = `tallyhook config: shows the settings in force, secrets hidden

  --check    also say what is wrong with them; exit code 2 if anything is
  --schema   print the JSON Schema of the file that TALLYHOOK_CONFIG names`;

/** `tallyhook config`. */
export async function showConfig(args: readonly string[], terminal: Terminal): Promise<number> {
  const flag = { type: 'boolean', default: false } as const;
  const options = { help: { ...flag, short: 'h' }, check: flag, schema: flag };
  const { values } = parseArgs({ args: [...args], options });
  if (values.help) {
    terminal.print(help);
    return exit.fine;
  }
  if (values.schema) {
    terminal.print(JSON.stringify(listingsFileSchema(), null, 2));
    return exit.fine;
  }
  terminal.print(describeConfig(process.env).trimEnd());
  return values.check ? withConfig(terminal, async () => exit.fine) : exit.fine;
}
