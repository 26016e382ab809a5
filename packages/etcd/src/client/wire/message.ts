// SPDX-License-Identifier: Apache-2.0
import { expectType, type Field } from './field.ts';
import { WireReader } from './reader.ts';
import { WireWriter, wireTypes } from './writer.ts';

/** The fields of a message by name. */
export type Fields = Readonly<Record<string, Field<unknown, never>>>;

/** A decoded message: every field, with the default for absent ones. */
export type OutputOf<F extends Fields> = {
  readonly [Name in keyof F]: F[Name] extends { empty(): infer Out } ? Out : never;
};

/** The input of encoding: each field is optional. */
export type InputOf<F extends Fields> = {
  readonly [Name in keyof F]?: F[Name] extends Field<unknown, infer In> ? In | undefined : never;
};

/** A message type: a table of fields, with an encoder and a decoder. */
export interface MessageType<Out, In> {
  encode(value: In): Uint8Array;
  /** Unknown fields are skipped, so that newer servers can be read. Throws `WireError`. */
  decode(bytes: Uint8Array): Out;
}

/** The type of what a message kind decodes to. */
export type Decoded<M> = M extends MessageType<infer Out, never> ? Out : never;

/** The type of what a message kind encodes. */
export type Encodable<M> = M extends MessageType<unknown, infer In> ? In : never;

/**
 * Describes a message type. The field numbers are etcd's; the names are ours.
 *
 * ```ts
 * const memberAddRequest = message({ peerUrls: repeated(string(1)), isLearner: bool(2) });
 * memberAddRequest.encode({ peerUrls: ['http://10.0.0.7:2380'], isLearner: true });
 * ```
 */
export function message<F extends Fields>(fields: F): MessageType<OutputOf<F>, InputOf<F>> {
  const entries = Object.entries(fields);
  const byNumber = new Map(entries.map((entry) => [entry[1].number, entry]));
  return {
    encode(value) {
      const writer = new WireWriter();
      for (const [name, field] of entries) {
        const given = value[name];
        if (given !== undefined) field.write(writer, given as never);
      }
      return writer.finish();
    },
    decode(bytes) {
      const result: Record<string, unknown> = {};
      for (const [name, field] of entries) result[name] = field.empty();
      const reader = new WireReader(bytes);
      while (!reader.done) {
        const tag = reader.tag();
        const entry = byNumber.get(tag.field);
        if (entry) result[entry[0]] = entry[1].read(reader, tag.wireType, result[entry[0]]);
        else reader.skip(tag.wireType);
      }
      return result as OutputOf<F>;
    },
  };
}

/** A message inside another that may be absent. */
export function optional<Out, In>(number: number, type: MessageType<Out, In>): Field<Out | undefined, In> {
  return {
    number,
    empty: () => undefined,
    write: (writer, value) => void writer.tag(number, wireTypes.bytes).bytes(type.encode(value)),
    read: (reader, wireType) => {
      expectType(number, wireType, wireTypes.bytes);
      return type.decode(reader.bytes());
    },
  };
}

/** A message inside another that counts as empty when absent. */
export function embedded<Out, In>(number: number, type: MessageType<Out, In>): Field<Out, In> {
  const inner = optional(number, type);
  const empty = type.decode(new Uint8Array(0));
  return {
    number,
    empty: () => empty,
    write: (writer, value) => inner.write(writer, value),
    read: (reader, wireType, before) => inner.read(reader, wireType, before) ?? before,
  };
}
