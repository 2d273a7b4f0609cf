/**
 * tallyhook as a package: the whole bot ({@link createApp}), its webhook routes for an Express app of your own, or single parts of it.
 * @module
 */
export { loadConfig } from '../config/load.ts';
export { type Config, FaultyConfig, type Listing } from '../config/schema.ts';
export { type App, createApp } from './app.ts';
export { type Clock, systemClock } from './clock.ts';
export { StoreUnavailable, TallyhookError } from './errors.ts';
export { createLog, type Log } from './log.ts';
export { createLookup, type LookupOptions } from './lookup/client.ts';
export { LookupFailure, type LookupFailureCode } from './lookup/failures.ts';
export type { Known, Lookup } from './lookup/lookup.ts';
export { isSignature, isSignedWith, sign } from './webhook/signature.ts';
