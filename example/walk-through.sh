#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The walk-through from the first line to the last, as a reader would type it: run it from the root of this repository against an empty
# cluster that has the images. Stops at the first step that does not do what it should.
set -o errexit -o nounset -o pipefail

step() { printf '\n### %s\n' "$*"; }
# etcdctl in a pod of its own, against the client Service.
etcdctl() { kubectl exec etcd-client -- etcdctl --endpoints=http://example-etcd-cluster-client:2379 "$@"; }

step 'Rights: a ClusterRole and its binding'
example/rbac/create_role.sh
kubectl describe clusterrole etcd-operator

step 'The operator: it creates its custom resource by itself'
kubectl create -f example/deployment.yaml
kubectl rollout status deployment/etcd-operator --timeout=180s
kubectl get pods --selector=name=etcd-operator
kubectl get crd etcdclusters.etcd.database.coreos.com
kubectl describe crd etcdclusters.etcd.database.coreos.com | grep -E '^ *(Group:|Kind: +EtcdCluster|Short Names:|etcd|Stored Versions:|v1beta2)( |$)'

step 'A cluster of three: the members appear one after the other'
kubectl apply -f example/example-etcd-cluster.yaml
kubectl wait --for=condition=Available etcdcluster/example-etcd-cluster --timeout=180s
kubectl wait --for=jsonpath='{.status.readySize}'=3 etcd/example-etcd-cluster --timeout=180s
kubectl get pods --selector=etcd_cluster=example-etcd-cluster
kubectl get services example-etcd-cluster example-etcd-cluster-client

step 'Use: put and get through the client Service'
kubectl run etcd-client --image=quay.io/coreos/etcd:v3.6.16
kubectl wait --for=condition=Ready pod/etcd-client --timeout=180s
etcdctl put foo bar
etcdctl get foo
etcdctl get foo | grep --quiet --line-regexp bar

step 'Resize: three to five, and back'
sed -e 's|size: 3|size: 5|' example/example-etcd-cluster.yaml | kubectl apply -f -
kubectl wait --for=jsonpath='{.status.readySize}'=5 etcd/example-etcd-cluster --timeout=180s
kubectl get pods --selector=etcd_cluster=example-etcd-cluster
kubectl apply -f example/example-etcd-cluster.yaml
kubectl wait --for=jsonpath='{.status.size}'=3 etcd/example-etcd-cluster --timeout=180s

step 'Heal: a member goes, another one comes'
member=$(kubectl get etcd example-etcd-cluster --output=jsonpath='{.status.members.ready[0]}')
kubectl delete pod "$member"
for _ in {1..180}; do
  members=$(kubectl get etcd example-etcd-cluster --output=jsonpath='{.status.readySize} {.status.members.ready}')
  if [[ $members == 3* && $members != *$member* ]]; then break; fi
  sleep 1
done
echo "$members"
[[ $members == 3* && $members != *$member* ]]
etcdctl get foo | grep --quiet --line-regexp bar

step 'Drift: a Service that somebody deletes is back within seconds'
kubectl delete service example-etcd-cluster-client
kubectl wait --for=create service/example-etcd-cluster-client --timeout=60s

step 'Upgrade: one member after the other, in place'
sed -e 's|version: "3.6.16"|version: "3.7.3"|' example/example-etcd-cluster.yaml | kubectl apply -f -
kubectl wait --for=jsonpath='{.status.currentVersion}'=3.7.3 etcd/example-etcd-cluster --timeout=300s
kubectl wait --for=jsonpath='{.status.readySize}'=3 etcd/example-etcd-cluster --timeout=180s
kubectl get pods --selector=etcd_cluster=example-etcd-cluster --output=custom-columns=NAME:.metadata.name,IMAGE:.spec.containers[0].image
etcdctl get foo | grep --quiet --line-regexp bar

step 'The end: the cluster and everything of it go with the object'
kubectl delete -f example/example-etcd-cluster.yaml
kubectl wait --for=delete pod --selector=etcd_cluster=example-etcd-cluster --timeout=180s
kubectl delete pod etcd-client --now
kubectl delete -f example/deployment.yaml
printf '\nThe walk-through is complete.\n'
