/** A part of the program that works in the background. */
export interface Loop {
  start(): void;
  stop(): Promise<void>;
}
