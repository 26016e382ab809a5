// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';

/** The peak and the present resident memory of a running process, in bytes, as the kernel counts them. */
export function memoryOf(pid: number | undefined): { readonly peak: number; readonly resident: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
  return { peak: bytes('VmHWM'), resident: bytes('VmRSS') };
}
