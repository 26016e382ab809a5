// SPDX-License-Identifier: Apache-2.0
import { stringify } from 'yaml';

type Fields = Readonly<Record<string, unknown>>;

/** Writes one document with a long list in it, an item at a time: what was written is not kept. */
export interface DocumentWriter {
  item(value: Fields): void;
  /** Ends the list, and the document with what is known only then. */
  end(tail: Fields): void;
}

/** Begins a document with these fields and then the list of that name. */
export function documentWriter(
  format: 'json' | 'yaml',
  head: Fields,
  list: string,
  out: (text: string) => void,
): DocumentWriter {
  let isEmpty = true;
  const first = (text: string, otherwise: string) => {
    out(isEmpty ? text : otherwise);
    isEmpty = false;
  };
  if (format === 'yaml') {
    out(stringify(head));
    return {
      item: (value) => {
        first(`${list}:\n`, '');
        out(stringify([value]));
      },
      end: (tail) => {
        first(`${list}: []\n`, '');
        out(stringify(tail));
      },
    };
  }
  out(`${JSON.stringify(head, undefined, 2).slice(0, -2)},\n  ${JSON.stringify(list)}: [`);
  return {
    item: (value) => {
      first('\n    ', ',\n    ');
      out(JSON.stringify(value));
    },
    end: (tail) => {
      first('', '\n  ');
      out(`],\n${JSON.stringify(tail, undefined, 2).slice(2)}\n`);
    },
  };
}
