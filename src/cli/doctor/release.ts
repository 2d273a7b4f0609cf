import { type Finding, pass, warn } from '../../platform/doctor/check.ts';
import { probeHttp } from '../../platform/doctor/http-probe.ts';
import { objectOf, parseJson, textOf } from '../../platform/json.ts';

/** Three numbers. Others, such as pre-releases, are not compared. */
const versionPattern = /^v?(\d+)\.(\d+)\.(\d+)$/;

/**
 * Whether a newer version exists. Fails for nothing: without an answer there is no finding that needs attention.
 * @param url a release in the form of GitHub: `{tag_name, html_url}`
 */
export async function checkRelease(url: string | null, version: string, timeoutMs: number): Promise<Finding[]> {
  if (url === null) return [];
  const headers = { accept: 'application/json', 'user-agent': 'tallyhook' };
  const response = await probeHttp(url, { headers }, timeoutMs);
  if (response.status === null) return [pass(`The latest version is not known: no response (${response.reason}).`)];
  const { tag_name: tag, html_url: page } = objectOf(parseJson(response.body));
  const latest = numbersOf(textOf(tag));
  const own = numbersOf(version);
  if (response.status !== 200 || latest === null || own === null)
    return [pass(`The latest version is not known: status ${response.status}.`)];
  const differing = latest.findIndex((number, index) => number !== own[index]);
  if (differing === -1 || (latest[differing] ?? 0) < (own[differing] ?? 0))
    return [pass(`This version is the latest.`)];
  const changes = URL.canParse(textOf(page)) ? ` What is new: ${new URL(textOf(page)).href}` : '';
  return [warn(`Version ${latest.join('.')} is out; this is ${version}.`, `Make a backup, then upgrade.${changes}`)];
}

function numbersOf(version: string): readonly number[] | null {
  return versionPattern.exec(version)?.slice(1).map(Number) ?? null;
}
