// SPDX-License-Identifier: Apache-2.0
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { isArray, isObject, type JsonObject, own } from '../json/json-value.ts';
import { configError, reasonOf } from './config-error.ts';

/** An entry of a kubeconfig. Relative paths in its fields start in the folder of the kubeconfig. */
export interface Entry {
  readonly name: string;
  readonly fields: Fields;
}

/** The merged content of one or several kubeconfig files. */
export interface Kubeconfig {
  readonly files: readonly string[];
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, Entry>;
  readonly users: ReadonlyMap<string, Entry>;
  readonly contexts: ReadonlyMap<string, Entry>;
}

/** Reads the fields of one entry. Errors say in which entry of which file. */
export class Fields {
  readonly #fields: JsonObject;
  readonly #folder: string;
  /** `user "admin" of /home/me/.kube/config` */
  readonly where: string;

  constructor(where: string, folder: string, fields: JsonObject) {
    this.where = where;
    this.#folder = folder;
    this.#fields = fields;
  }

  /** A text; undefined if absent or empty, as in kubectl. */
  text(name: string): string | undefined {
    const value = own(this.#fields, name);
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value !== 'string') throw this.error(name, 'must be a string');
    return value;
  }

  flag(name: string): boolean {
    const value = own(this.#fields, name) ?? false;
    if (typeof value !== 'boolean') throw this.error(name, 'must be true or false');
    return value;
  }

  texts(name: string): readonly string[] | undefined {
    const value = own(this.#fields, name);
    if (value === undefined || value === null) return undefined;
    if (!isArray(value) || !value.every((item) => typeof item === 'string'))
      throw this.error(name, 'must be a list of strings');
    return value;
  }

  /** A path, resolved against the folder of the file. */
  path(name: string): string | undefined {
    const value = this.text(name);
    return value === undefined ? undefined : resolve(this.#folder, value);
  }

  /** A command: a path with a separator is relative to the file, a bare name is looked up by the system. */
  command(name: string): string | undefined {
    const value = this.text(name);
    return value?.includes('/') ? resolve(this.#folder, value) : value;
  }

  /** An object inside this one. */
  object(name: string): Fields | undefined {
    const value = own(this.#fields, name);
    if (value === undefined || value === null) return undefined;
    if (!isObject(value)) throw this.error(name, 'must be an object');
    return new Fields(`${this.where}: ${name}`, this.#folder, value);
  }

  /** A nested object, which messages call `where`; empty if absent. */
  entry(name: string, where: string): Fields {
    const value = own(this.#fields, name) ?? {};
    if (!isObject(value)) throw this.error(name, 'must be an object');
    return new Fields(where, this.#folder, value);
  }

  /** Objects in a list. */
  objects(name: string): readonly Fields[] {
    const value = own(this.#fields, name) ?? [];
    if (!isArray(value)) throw this.error(name, 'must be a list');
    return value.map((item, index) => {
      if (!isObject(item)) throw this.error(`${name}[${index}]`, 'must be an object');
      return new Fields(`${this.where}: ${name}[${index}]`, this.#folder, item);
    });
  }

  keys(): readonly string[] {
    return Object.keys(this.#fields);
  }

  has(name: string): boolean {
    return own(this.#fields, name) !== undefined && own(this.#fields, name) !== null;
  }

  error(name: string, problem: string): Error {
    return configError(this.where, `${name} ${problem}`);
  }
}

/** Reads one kubeconfig. */
export function parseKubeconfig(file: string, text: string): Kubeconfig {
  let document: unknown;
  try {
    document = parse(text, { maxAliasCount: 100, logLevel: 'error' });
  } catch (cause) {
    throw configError(file, `is not valid YAML: ${reasonOf(cause).split('\n')[0]}`, cause);
  }
  if (document !== null && !isObject(document)) throw configError(file, 'is not a kubeconfig: it must be an object');
  const top = new Fields(file, dirname(file), document ?? {});
  return {
    files: [file],
    currentContext: top.text('current-context'),
    clusters: entries(top, file, 'clusters', 'cluster'),
    users: entries(top, file, 'users', 'user'),
    contexts: entries(top, file, 'contexts', 'context'),
  };
}

function entries(top: Fields, file: string, list: string, field: string): ReadonlyMap<string, Entry> {
  const result = new Map<string, Entry>();
  for (const item of top.objects(list)) {
    const name = item.text('name');
    if (name === undefined) throw item.error('name', 'is missing');
    const fields = item.entry(field, `${field} ${JSON.stringify(name)} of ${file}`);
    // Of two entries with the same name, the first is used, within a file and across files.
    if (!result.has(name)) result.set(name, { name, fields });
  }
  return result;
}

/** Merges several files like kubectl: for each entry, the earlier file has priority. */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  const merged = (pick: (config: Kubeconfig) => ReadonlyMap<string, Entry>) =>
    new Map(configs.toReversed().flatMap((config) => [...pick(config)]));
  return {
    files: configs.flatMap((config) => config.files),
    currentContext: configs.map((config) => config.currentContext).find((context) => context !== undefined),
    clusters: merged((config) => config.clusters),
    users: merged((config) => config.users),
    contexts: merged((config) => config.contexts),
  };
}
