// SPDX-License-Identifier: Apache-2.0
import type { CustomResourceColumnDefinition, CustomResourceDefinition } from '@operator-parts/kube';
import { columnType } from './column-type.ts';
import type { Column, Kind } from './kind.ts';
import { defined } from './scalars.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** The CustomResourceDefinition (`apiextensions.k8s.io/v1`) of a kind. */
export function crdOf(kind: Kind): CustomResourceDefinition {
  const { group, version, plural, scope, annotations } = kind;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, ...(annotations && { annotations }) },
    spec: {
      group,
      names: namesOf(kind),
      scope,
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          ...(kind.deprecated !== undefined && { deprecated: true, deprecationWarning: kind.deprecated }),
          schema: { openAPIV3Schema: kind.schema },
          ...subresourcesOf(kind),
          ...(kind.columns?.length && {
            additionalPrinterColumns: kind.columns.map((column) => columnOf(kind.schema, column)),
          }),
          ...(kind.selectableFields?.length && {
            selectableFields: kind.selectableFields.map((jsonPath) => ({ jsonPath })),
          }),
        },
      ],
    },
  };
}

function namesOf({ kind, plural, singular, shortNames, categories }: Kind): CustomResourceDefinition['spec']['names'] {
  return {
    kind,
    listKind: `${kind}List`,
    plural,
    singular: singular ?? kind.toLowerCase(),
    ...(shortNames?.length && { shortNames }),
    ...(categories?.length && { categories }),
  };
}

function subresourcesOf({ hasStatus, scale }: Kind) {
  if (!hasStatus && !scale) return {};
  return { subresources: { ...(hasStatus && { status: {} }), ...(scale && { scale: { ...scale } }) } };
}

function columnOf(schema: StructuralSchema, column: Column): CustomResourceColumnDefinition {
  const { name, path, description, priority } = column;
  const type = columnType(schema, column) ?? 'string';
  return { name, type, ...defined({ description, priority }), jsonPath: path };
}
