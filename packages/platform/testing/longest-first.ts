import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that start programs or upgrade databases: small files that take long. */
const longFolders = /\/test\/(flows|documents|core\/store)\//;

/** Starts the files that take longest first, also in a fresh clone, where no durations are known. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const groupOf = ({ project }: TestSpecification) => project.config.sequence.groupOrder;
    const rankOf = ({ moduleId }: TestSpecification) => (longFolders.test(moduleId) ? 0 : 1);
    return (await super.sort(files)).sort(
      (one, other) =>
        groupOf(one) - groupOf(other) ||
        one.project.name.localeCompare(other.project.name) ||
        rankOf(one) - rankOf(other),
    );
  }
}
