// SPDX-License-Identifier: Apache-2.0
import type { Json } from '../json/json.ts';

/** A body that does not match its Go type; the message is Go's. */
export class DecodeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DecodeError';
  }
}

/** The current position of decoding, and the errors of strict decoding. */
export class DecodeContext {
  readonly path: (string | number)[] = [];
  readonly strictErrors: string[] = [];

  /** The present path, such as `spec.containers[0].image`. */
  field(last?: string): string {
    let text = '';
    for (const part of last === undefined ? this.path : [...this.path, last]) {
      text += typeof part === 'number' ? `[${part}]` : `${text === '' ? '' : '.'}${part}`;
    }
    return text;
  }

  unknownField(name: string): void {
    this.strictErrors.push(`unknown field ${JSON.stringify(this.field(name))}`);
  }

  /**
   * The error of a wrong type: `json: cannot unmarshal number into Go struct field Container.spec.containers.name of
   * type string`.
   */
  mismatch(value: Json, owner: string, goType: string): DecodeError {
    const names = this.path.filter((part) => typeof part === 'string').join('.');
    const place = names === '' ? `Go value of type ${goType}` : `Go struct field ${owner}.${names} of type ${goType}`;
    return new DecodeError(`json: cannot unmarshal ${kindOf(value, goType)} into ${place}`);
  }
}

function kindOf(value: Json, goType: string): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return /^u?int/.test(goType) ? `number ${value}` : 'number';
  return typeof value;
}
