// SPDX-License-Identifier: Apache-2.0
import type { Access } from '../access.ts';
import type { OutputFormat } from '../command-line.ts';
import { print, type Report } from '../render/print.ts';

const every = 2_000;

/** Prints a report again whenever it changes, until it is interrupted: in JSON and YAML as a stream of documents. */
export async function watchStatus(
  { clock, signal }: Access,
  read: () => Promise<Report>,
  format: OutputFormat,
  out: (text: string) => void,
): Promise<void> {
  let last = '';
  for (;;) {
    const text = print(await read(), format);
    // Without the ages of Leases, which always change.
    const said = text.replaceAll(/\d{1,9} s ago/g, '').replaceAll(/"renewed": [\d.]{1,20}/g, '');
    if (said !== last) out(last === '' ? text : `${format === 'yaml' ? '---' : ''}\n${text}`);
    last = said;
    try {
      await clock.sleep(every, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
  }
}
