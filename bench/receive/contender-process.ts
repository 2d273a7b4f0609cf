/** The process of one contender: `contender-process.ts <name> <setting as JSON>`. */
import { serveParent } from '../process/child-server.ts';
import type { Start } from './contender.ts';

const [name = '', setting = '{}'] = process.argv.slice(2);
const { start } = (await import(`./contenders/${name}.ts`)) as { start: Start };
const port = await start(JSON.parse(setting));
serveParent({ port: () => port });
