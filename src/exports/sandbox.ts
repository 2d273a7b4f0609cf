/**
 * `tallyhook/sandbox`: the sandbox, and its parts for tests of other programs.
 * @module
 */

export * from '../sandbox/sandbox.ts';
