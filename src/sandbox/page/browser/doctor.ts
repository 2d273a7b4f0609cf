import type { CheckResult } from '../../../platform/doctor/check.ts';
import { findById, html, nothing, render } from './element.ts';
import { postAction } from './requests.ts';

const symbols: Readonly<Record<CheckResult['level'], string>> = { pass: '✓', warn: '!', fail: '✗' };
const words: Readonly<Record<CheckResult['level'], string>> = { pass: 'Works', warn: 'Warning', fail: 'Failed' };

/** The dialog with what `tallyhook doctor` finds. */
export function startDoctor(): void {
  const dialog = findById<HTMLDialogElement>('doctor');
  const list = findById('findings');

  const item = ({ level, check, message, hint }: CheckResult) =>
    html`<li class=${level}><span aria-hidden="true">${symbols[level]}</span><span class="visually-hidden">${words[level]}:</span> <div><b>${check}</b> ${message}${hint === null ? nothing : html`<p class="field-hint">${hint}</p>`}</div></li>`;

  async function run(): Promise<void> {
    render(html`<li>Checking …</li>`, list);
    dialog.showModal();
    const response = await postAction('/page/doctor', {});
    render(response.error === undefined ? response.findings.map(item) : html`<li>${response.error}</li>`, list);
  }

  findById('doctor-run').addEventListener('click', () => void run());
  findById('doctor-close').addEventListener('click', () => dialog.close());
}
