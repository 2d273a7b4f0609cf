import type { Config } from '../../../config/schema.ts';
import { namesOfTarget } from '../../core/tally/community.ts';
import { createDirectory, type Directory } from './directory.ts';
import { createListingTargets, createTargetLoop, type ListingTargets, type TargetLoop } from './listing-targets.ts';
import { createLookupClients, type LookupClientDependencies, type LookupClients } from './lookup-clients.ts';

/** The listings of all communities, of which those of one server or bot are known to be the same. */
export interface ComparedListings {
  readonly directory: Directory;
  readonly lookups: LookupClients;
  readonly targets: ListingTargets;
  readonly targetLoop: TargetLoop;
}

/** The clients of the lookup API say which server or bot a listing is, and use the votes of all listings of it. */
export function createComparedListings(
  config: Config,
  dependencies: Omit<LookupClientDependencies, 'namesOf'>,
): ComparedListings {
  const lookups = createLookupClients(config, {
    ...dependencies,
    namesOf: (name) => namesOfTarget(directory.find(name)?.community ?? {}, name),
  });
  const targets = createListingTargets(lookups.find);
  const directory = createDirectory(config.listings, dependencies.home, (listing) => {
    const target = targets.targetOf(listing);
    return target.isKnown ? target.id : null;
  });
  return {
    directory,
    lookups,
    targets,
    targetLoop: createTargetLoop({ targets, directory, clock: dependencies.clock }),
  };
}
