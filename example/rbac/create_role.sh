#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Gives the service account "default" of a namespace the rights that the operators need.
set -o errexit -o nounset -o pipefail

role_name=etcd-operator
role_binding_name=etcd-operator
namespace=default
scope=cluster-

usage() {
  cat <<EOF
usage: create_role.sh [--role-name=NAME] [--role-binding-name=NAME] [--namespace=NAMESPACE] [--namespaced]

  --role-name          name of the ClusterRole          (default: etcd-operator)
  --role-binding-name  name of its binding              (default: etcd-operator)
  --namespace          where the operators run          (default: default)
  --namespaced         a Role for that namespace alone; start the operators with -create-crd=false then
EOF
}

for argument in "$@"; do
  case $argument in
    --role-name=*) role_name=${argument#*=} ;;
    --role-binding-name=*) role_binding_name=${argument#*=} ;;
    --namespace=*) namespace=${argument#*=} ;;
    --namespaced) scope='' ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
done

# All three are names of Kubernetes objects; anything else would be typed into the manifests.
for name in "$role_name" "$role_binding_name" "$namespace"; do
  if ! [[ $name =~ ^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$ ]]; then
    echo "create_role.sh: \"$name\" is no name for a Kubernetes object" >&2
    exit 2
  fi
done

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for template in role role-binding; do
  sed -e "s/<ROLE_NAME>/$role_name/g" \
      -e "s/<ROLE_BINDING_NAME>/$role_binding_name/g" \
      -e "s/<NAMESPACE>/$namespace/g" \
      "$here/$scope$template-template.yaml" | kubectl apply -f -
done
