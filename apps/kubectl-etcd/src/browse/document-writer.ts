// SPDX-License-Identifier: Apache-2.0
import { stringify } from 'yaml';

type Fields = Readonly<Record<string, unknown>>;

/** Writes one document with a long list, item by item: written items are not kept in memory. */
export interface DocumentWriter {
  item(value: Fields): void;
  /** Ends the list and the document, with the fields that are known only then. */
  end(tail: Fields): void;
}

/** Begins a document with these fields, followed by the named list. */
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
