// SPDX-License-Identifier: Apache-2.0
import { isNotOlder, versionOrder } from './resource-version.ts';

/**
 * How many further views must confirm an older view before it is accepted. None of them may be older than the one
 * before.
 */
const confirmationsNeeded = 3;

/**
 * Whether a server still shows the data that was seen before. Versions only increase; a server whose version decreased
 * has lost its data, was restored from a backup, or is another server at the same address. A single answer is weak
 * evidence, so it must be confirmed.
 */
export class ServerDataCheck {
  /** The newest version seen; empty if none. */
  #newest = '';
  #doubt: { readonly version: string; readonly confirmations: number } | undefined;

  /** True from the first older view until a view is accepted. */
  get doubted(): boolean {
    return this.#doubt !== undefined;
  }

  get newest(): string {
    return this.#newest;
  }

  /** Records a version that the server showed. */
  saw(version: string): void {
    if (this.#newest === '' || (versionOrder(version, this.#newest) ?? 1) > 0) this.#newest = version;
  }

  /** True if `version` is known to be older than what was seen. */
  isOlder(version: string): boolean {
    return this.#newest !== '' && !isNotOlder(version, this.#newest);
  }

  /** Judges a complete view: the same data, older for now, or replaced data that has been confirmed. */
  judge(version: string): 'same' | 'older' | 'replaced' {
    if (!this.isOlder(version)) {
      this.#doubt = undefined;
      this.saw(version);
      return 'same';
    }
    const isConsistent = this.#doubt !== undefined && isNotOlder(version, this.#doubt.version);
    const confirmations = isConsistent && this.#doubt ? this.#doubt.confirmations + 1 : 0;
    this.#doubt = { version, confirmations };
    if (confirmations < confirmationsNeeded) return 'older';
    this.#doubt = undefined;
    this.#newest = version;
    return 'replaced';
  }
}
