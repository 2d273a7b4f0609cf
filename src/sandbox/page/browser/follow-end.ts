import { findById } from './element.ts';

/** The log follows new content if it is scrolled to within this distance of its end (pixels). */
const nearEndPx = 80;

/** The scrolling of a log that follows its end until the reader scrolls up. */
export interface FollowedLog {
  /** Scrolls to the end, and follows it. */
  scrollToEnd(): void;
  /** New content has arrived: offers to scroll to it, if the reader is further up. */
  announceNew(): void;
}

/**
 * Keeps a log at its end while its content grows: components render and pictures load after they were added.
 *
 * @param content the element that grows
 */
export function followEnd(log: HTMLElement, content: HTMLElement): FollowedLog {
  const jump = findById('jump-to-present');
  let isFollowing = true;
  let lastTop = 0;

  function scrollToEnd(): void {
    isFollowing = true;
    jump.hidden = true;
    log.scrollTop = log.scrollHeight;
    lastTop = log.scrollTop;
  }

  // Only the reader scrolls up. Content that grows increases the distance to the end, too.
  log.addEventListener('scroll', () => {
    const isNearEnd = log.scrollHeight - log.scrollTop - log.clientHeight < nearEndPx;
    if (isNearEnd) jump.hidden = true;
    isFollowing = isNearEnd || (isFollowing && log.scrollTop >= lastTop);
    lastTop = log.scrollTop;
  });
  const observer = new ResizeObserver(() => {
    if (isFollowing) scrollToEnd();
  });
  observer.observe(content);
  observer.observe(log);
  jump.addEventListener('click', () => {
    scrollToEnd();
    log.focus();
  });

  return {
    scrollToEnd,
    announceNew() {
      if (!isFollowing) jump.hidden = false;
    },
  };
}
