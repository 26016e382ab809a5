// SPDX-License-Identifier: Apache-2.0
import type { Kind } from '@operator-parts/crd';
import type { Client, KubeObject, Resource } from '@operator-parts/kube';
import type { JsonFields } from '../../api/json-fields.ts';

type WithSpec = KubeObject & { readonly spec?: unknown };

/** An object of any kind, whose user writes its spec repeatedly. */
export class StoredSpec {
  readonly #client: Client;
  readonly #resource: Resource<WithSpec>;
  #object: WithSpec;

  private constructor(client: Client, resource: Resource<WithSpec>, object: WithSpec) {
    this.#client = client;
    this.#resource = resource;
    this.#object = object;
  }

  static async create(
    kind: Kind & { readonly resource: Resource<KubeObject> },
    client: Client,
    spec: JsonFields,
  ): Promise<StoredSpec> {
    const head = { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind };
    const object = { ...head, metadata: { generateName: 'walk-', namespace: 'default' }, spec };
    const resource: Resource<WithSpec> = kind.resource;
    return new StoredSpec(client, resource, await client.resource(resource).create(object));
  }

  /** Resolves with the stored spec. */
  async write(spec: JsonFields): Promise<unknown> {
    this.#object = await this.#client.resource(this.#resource).replace({ ...this.#object, spec });
    return this.#object.spec;
  }

  async read(): Promise<unknown> {
    const { name = '', namespace = '' } = this.#object.metadata ?? {};
    return (await this.#client.resource(this.#resource).get({ name, namespace })).spec;
  }

  async delete(): Promise<void> {
    const { name = '', namespace = '' } = this.#object.metadata ?? {};
    await this.#client.resource(this.#resource).delete({ name, namespace });
  }
}
