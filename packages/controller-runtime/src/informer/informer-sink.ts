// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from '@operator-parts/kube';
import type { ReflectorSink } from '../reflector/reflector-sink.ts';
import type { Store } from '../store/store.ts';

interface SinkListener {
  /** The store contains a complete view. */
  synced(): void;
  /** The version of the store changed. */
  progress(): void;
}

/** Writes what a reflector sends into a store, and reports the store's progress. */
export class InformerSink<T extends KubeObject> implements ReflectorSink<T> {
  readonly #store: Store<T>;
  readonly #listener: SinkListener;

  constructor(store: Store<T>, listener: SinkListener) {
    this.#store = store;
    this.#listener = listener;
  }

  init(doubted?: boolean): void {
    this.#store.init(doubted);
  }

  initApply(object: T): void {
    this.#store.initApply(object);
  }

  initDone(resourceVersion: string, replaced?: boolean): void {
    this.#store.initDone(resourceVersion, replaced);
    this.#listener.synced();
    this.#listener.progress();
  }

  apply(object: T): void {
    this.#store.apply(object);
  }

  delete(object: T): void {
    this.#store.delete(object);
  }

  progress(resourceVersion: string): void {
    this.#store.progress(resourceVersion);
    this.#listener.progress();
  }
}
