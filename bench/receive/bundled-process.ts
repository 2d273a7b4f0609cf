/** The process of tallyhook as an entry point of a bundle: `<the file> tallyhook <setting as JSON>`. */
import { serveParent } from '../process/child-server.ts';
import { start } from './contenders/tallyhook.ts';

const [, setting = '{}'] = process.argv.slice(2);
const port = await start(JSON.parse(setting));
serveParent({ port: () => port });
