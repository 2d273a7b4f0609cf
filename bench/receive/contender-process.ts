/** The process of one contender: `contender-process.ts <its file in contenders/> <setting as JSON>`. */
import { serveParent } from '../process/child-server.ts';
import type { Start } from './contender.ts';

const [module = '', setting = '{}'] = process.argv.slice(2);
const { start } = (await import(`./contenders/${module}.ts`)) as { start: Start };
const port = await start(JSON.parse(setting));
serveParent({ port: () => port });
