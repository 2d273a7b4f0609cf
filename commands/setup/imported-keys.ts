import { listOf, objectOf, parseJson, textOf } from '../../src/platform/json.ts';
import { keyProblem } from './link.ts';
import { type Problem, problemOf } from './render-change.ts';
import type { SetupView } from './view.ts';

/** The API keys in an imported text, after asking the service. */
export interface ImportedKeys {
  readonly problems: readonly Problem[];
  /** Discord ids of the servers and bots that they belong to, by the name of the listing. */
  readonly targetIds: ReadonlyMap<string, string>;
}

/** Checks the API keys in an imported text as a form does: with the key of another listing, its votes would count here. */
export async function checkImportedKeys(view: SetupView, text: string): Promise<ImportedKeys> {
  const { community, services, guildId } = view;
  const problems: Problem[] = [];
  const targetIds = new Map<string, string>();
  for (const entry of listOf(objectOf(parseJson(text))['listings'])) {
    const lookupKey = textOf(entry['lookupKey']);
    const listing =
      community.listings.find(({ name }) => name === entry['name']) ??
      community.listings.find(
        ({ kind, targetId }) => targetId !== null && kind === entry['kind'] && targetId === entry['id'],
      );
    // What is not found is reported by the import itself.
    if (lookupKey === '' || listing === undefined) continue;
    const { name, kind, targetId } = listing;
    const check = await services.checks.checkKey(guildId, kind, lookupKey);
    if (check.status !== 'valid') problems.push(keyProblem(view, check));
    else if (check.targetId !== null && targetId !== null && check.targetId !== targetId) {
      const issue = { listing: name, path: 'lookupKey', code: 'other_listing', problem: '', hint: '' } as const;
      problems.push(problemOf(issue, view));
    } else if (check.targetId !== null) targetIds.set(name, check.targetId);
  }
  return { problems, targetIds };
}
