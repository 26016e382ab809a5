// SPDX-License-Identifier: Apache-2.0
import { asNumber, equalJson, type JsonObject } from '../json/json.ts';
import { metadataOf } from './reset-fields.ts';
import type { Strategy } from './strategy.ts';

const content = ({ metadata: _metadata, ...rest }: JsonObject) => rest;

/** Kinds without a status whose generation counts all changes except those of metadata. */
export const countedStrategy: Strategy = {
  prepareForCreate(object) {
    metadataOf(object)['generation'] = 1;
  },
  prepareForUpdate(object, old) {
    if (equalJson(content(object), content(old))) return;
    metadataOf(object)['generation'] = (asNumber(metadataOf(old)['generation']) ?? 0) + 1;
  },
};
