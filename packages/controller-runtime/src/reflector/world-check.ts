// SPDX-License-Identifier: Apache-2.0
import { isNotOlder, versionOrder } from './resource-version.ts';

/** How often an older view has to be shown again, and never older than the time before, until it is believed. */
const confirmationsNeeded = 3;

/**
 * Whether what a server shows belongs to the world that was seen before. Versions of one world only grow; a server whose version
 * went back lost its data, was restored from a backup, or is another one behind the same address. One such answer proves little,
 * so it is believed only when it was confirmed.
 */
export class WorldCheck {
  /** The newest version seen; empty if none. */
  #newest = '';
  #doubt: { readonly version: string; readonly confirmations: number } | undefined;

  /** True from the first older view on, until a view is accepted. */
  get doubted(): boolean {
    return this.#doubt !== undefined;
  }

  get newest(): string {
    return this.#newest;
  }

  /** The server showed something of this version. */
  saw(version: string): void {
    if (this.#newest === '' || (versionOrder(version, this.#newest) ?? 1) > 0) this.#newest = version;
  }

  /** True if `version` is known to be older than what was seen. */
  isOlder(version: string): boolean {
    return this.#newest !== '' && !isNotOlder(version, this.#newest);
  }

  /** Judges a complete view: of the same world, older for now, or of another world that has to be believed. */
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
