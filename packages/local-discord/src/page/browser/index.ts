/**
 * The page in the browser, for the scripts of programs that add their own views: {@link startPage} starts it.
 * @module
 */

export { controlsOf } from '../../objects.ts';
export { formatTime } from '../../web/browser/format-time.ts';
export { relativeTime } from '../../web/browser/render-markdown.ts';
export { lineItem, timeElement, withDays } from './activity.ts';
export { findById, html, nothing, render, renderKeyed, type TemplateResult } from './element.ts';
export { type BrowserExtension, startPage } from './page.ts';
export { actionSender } from './requests.ts';
export { actingMember, type PageStore, type View } from './store.ts';
