// SPDX-License-Identifier: Apache-2.0
import {
  type Client,
  KubeError,
  type KubeObject,
  keyOf,
  keyString,
  type ObjectKey,
  qualifiedName,
  type Resource,
  type ResourceClient,
  type SubresourceClient,
} from '@operator-parts/kube';
import type { Clock } from '@operator-parts/ports';
import { ScriptedKind, type Versions } from './scripted-kind.ts';

/** One write, as a scripted client saw it. */
export interface SeenWrite {
  readonly verb: string;
  readonly resource: string;
  readonly key: string;
}

/**
 * A client for `ScriptedKind`s, for tests of controllers and managers. Writes take effect at once; patches are shallow.
 */
export class ScriptedClient implements Client {
  readonly writes: SeenWrite[] = [];
  /** Called before each write; throwing refuses it. */
  onWrite: (write: SeenWrite) => void | Promise<void> = () => undefined;
  readonly #clock: Clock;
  readonly #versions: Versions = { current: 1 };
  readonly #kinds = new Map<string, ScriptedKind<KubeObject>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  kind<T extends KubeObject>(resource: Resource<T>): ScriptedKind<T> {
    const name = qualifiedName(resource);
    const kind = this.#kinds.get(name) ?? new ScriptedKind<KubeObject>(this.#clock, this.#versions);
    this.#kinds.set(name, kind);
    return kind as unknown as ScriptedKind<T>;
  }

  resource<T extends KubeObject>(resource: Resource<T>): ResourceClient<T> {
    const kind = this.kind(resource);
    const write = async (verb: string, key: ObjectKey, action: () => T): Promise<T> => {
      const seen = { verb, resource: qualifiedName(resource), key: keyString(key) };
      this.writes.push(seen);
      await this.onWrite(seen);
      return action();
    };
    const replace = (object: T): T => {
      const held = present(kind, keyOf(object));
      const expected = object.metadata?.resourceVersion;
      if (expected && expected !== held.metadata?.resourceVersion) {
        throw new KubeError('Conflict', `${keyString(keyOf(object))} has been modified`, { httpStatus: 409 });
      }
      return kind.put(object);
    };
    const merge = (key: ObjectKey, patch: unknown): T => kind.put({ ...present(kind, key), ...(patch as Partial<T>) });
    const status: SubresourceClient<T> = {
      get: (key) => kind.get(key),
      create: async () => Promise.reject(new KubeError('MethodNotAllowed', 'not in this script')),
      replace: (key, body) => write('replace status', key, () => replace(body)),
      patch: (key, patch) => write('patch status', key, () => merge(key, 'patch' in patch ? patch.patch : {})),
      apply: (key, body) => write('apply status', key, () => merge(key, body)),
    };
    return {
      resource,
      status,
      subresource: <S>() => status as unknown as SubresourceClient<S>,
      get: (key) => kind.get(key),
      list: (options) => kind.list(options),
      pages: (options) => kind.pages(options),
      watch: (options) => kind.watch(options),
      create: (object) =>
        write('create', keyOf(object), () => {
          if (kind.objects().has(keyString(keyOf(object)))) {
            throw new KubeError('AlreadyExists', `${keyString(keyOf(object))} exists`, { httpStatus: 409 });
          }
          return kind.put(object);
        }),
      replace: (object) => write('replace', keyOf(object), () => replace(object)),
      patch: (key, patch) => write('patch', key, () => merge(key, 'patch' in patch ? patch.patch : {})),
      apply: (object) => write('apply', keyOf(object), () => kind.put(object)),
      delete: (key) => write('delete', key, () => kind.remove(key) ?? present(kind, key)),
      deleteCollection: async () => undefined,
    };
  }
}

function present<T extends KubeObject>(kind: ScriptedKind<T>, key: ObjectKey): T {
  const held = kind.objects().get(keyString(key));
  if (!held) throw new KubeError('NotFound', `${keyString(key)} not found`, { httpStatus: 404 });
  return held;
}
