// SPDX-License-Identifier: Apache-2.0

/** Characters that are often lost between a key, a URL, a signature and an XML or JSON document. */
export const specialKeys: readonly string[] = [
  'with space and  two',
  'plus+plus',
  'per%cent%2Fencoded%20',
  'colons:2019-12-15-15:57:59',
  'question?mark=1&and=2#hash',
  'quotes\'"`',
  'brackets()[]{}<>',
  'semi;comma,at@dollar$caret^pipe|star*bang!tilde~equals=',
  'ünïcödé/日本語/🗄️',
  'combining/e\u0301',
  '...dots/..dots/dots..',
  '-dash/_under/.hidden',
];
