export type EffectNotices = ReturnType<typeof createEffectNotices>;

export type NoticeListener = (queues: readonly string[]) => void;

/** How notices reach other processes. */
export interface OtherProcesses {
  /** Begins to receive their notices. */
  start(): void;
  /** To the other processes alone. */
  publish(queues: readonly string[]): void;
  stop(): void;
}

const noOthers: OtherProcesses = { start() {}, publish() {}, stop() {} };

/**
 * Says at once which queues have new effects, here and in the other processes. Notices of other processes may be lost, for
 * example while Redis is down: the dispatcher also finds such effects by itself, a little later.
 * @param connect how other processes are reached; null if there are none
 */
export function createEffectNotices(connect: ((onNotice: NoticeListener) => OtherProcesses) | null) {
  const listeners: NoticeListener[] = [];
  const notify: NoticeListener = (queues) => {
    for (const listener of listeners) listener(queues);
  };
  const others = connect?.(notify) ?? noOthers;
  return {
    ...others,
    /** Calls the listener with the queues of each notice, of this process or another one. It must not throw. */
    listen: (listener: NoticeListener): void => void listeners.push(listener),
    /** To the listeners here, and to the other processes. */
    nudge(queues: readonly string[]): void {
      notify(queues);
      others.publish(queues);
    },
  };
}
