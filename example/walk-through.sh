#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The walk-through from the first line to the last, as a reader would type it: run it from the root of this repository against an empty
# cluster that has the images. Backups go to the bucket and key in S3_PATH, by what credentials and config in ~/.aws say: keys, region, and
# endpoint_url for a store that is not AWS. Without S3_PATH the steps of backup and restore are left out. Stops at the first step that does
# not do what it should.
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
uid=$(kubectl get pod "$member" --output=jsonpath='{.metadata.uid}')
kubectl delete pod "$member"
for _ in {1..180}; do
  pods=$(kubectl get pods --selector=etcd_cluster=example-etcd-cluster --output=jsonpath='{.items[*].metadata.uid}')
  ready=$(kubectl get etcd example-etcd-cluster --output=jsonpath='{.status.readySize}')
  if [[ $ready == 3 && $pods != *$uid* && $pods == *' '*' '* ]]; then break; fi
  sleep 1
done
kubectl get pods --selector=etcd_cluster=example-etcd-cluster
[[ $ready == 3 && $pods != *$uid* ]]
etcdctl get foo | grep --quiet --line-regexp bar

step 'Drift: a deleted Service is back within seconds'
kubectl delete service example-etcd-cluster-client
kubectl wait --for=create service/example-etcd-cluster-client --timeout=60s

step 'Upgrade: one member after the other, in place'
sed -e 's|version: "3.6.16"|version: "3.7.3"|' example/example-etcd-cluster.yaml | kubectl apply -f -
kubectl wait --for=jsonpath='{.status.currentVersion}'=3.7.3 etcd/example-etcd-cluster --timeout=300s
kubectl wait --for=jsonpath='{.status.readySize}'=3 etcd/example-etcd-cluster --timeout=180s
kubectl get pods --selector=etcd_cluster=example-etcd-cluster --output=custom-columns=NAME:.metadata.name,IMAGE:.spec.containers[0].image
etcdctl get foo | grep --quiet --line-regexp bar

# Fills in an example of a backup or a restore.
fill() {
  sed -e "s|<full-s3-path>|$S3_PATH|g" -e 's|<aws-secret>|aws|g' \
      -e 's|<etcd-cluster-endpoints>|"http://example-etcd-cluster-client:2379"|g' "$1"
}

if [[ -n ${S3_PATH:-} ]]; then
  step 'The backup operator, and the credentials of the bucket'
  kubectl create -f example/etcd-backup-operator/deployment.yaml
  kubectl rollout status deployment/etcd-backup-operator --timeout=180s
  kubectl get crd etcdbackups.etcd.database.coreos.com
  kubectl create secret generic aws --from-file="$HOME/.aws/credentials" --from-file="$HOME/.aws/config"

  step 'A backup: each object is one'
  fill example/etcd-backup-operator/backup_cr.yaml | kubectl create -f -
  kubectl wait --for=jsonpath='{.status.succeeded}'=true etcdbackup/example-etcd-cluster-backup --timeout=180s
  kubectl get etcdbackup example-etcd-cluster-backup --output=jsonpath='{.status.etcdVersion} at revision {.status.etcdRevision}{"\n"}'

  step 'Again and again: the periodic policy'
  fill example/etcd-backup-operator/periodic_backup_cr.yaml | kubectl create -f -
  kubectl wait --for=jsonpath='{.status.succeeded}'=true etcdbackup/example-etcd-cluster-periodic-backup --timeout=180s
  kubectl delete etcdbackup example-etcd-cluster-periodic-backup

  step 'The majority is lost: the operator says so, and changes nothing'
  etcdctl put foo changed
  mapfile -t members < <(kubectl get pods --selector=etcd_cluster=example-etcd-cluster --output=name)
  # Paused for a moment: otherwise the operator may replace the first before the second is gone, and the majority is not lost.
  kubectl patch etcd example-etcd-cluster --type=merge --patch='{"spec":{"paused":true}}'
  kubectl wait --for=jsonpath='{.status.controlPaused}'=true etcd/example-etcd-cluster --timeout=60s
  kubectl delete --grace-period=0 --force "${members[0]}" "${members[1]}"
  kubectl patch etcd example-etcd-cluster --type=merge --patch='{"spec":{"paused":false}}'
  kubectl wait --for=condition=Available=False etcd/example-etcd-cluster --timeout=180s

  step 'The restore operator brings the cluster back, with exactly what was in the backup'
  kubectl create -f example/etcd-restore-operator/deployment.yaml
  kubectl rollout status deployment/etcd-restore-operator --timeout=180s
  kubectl get crd etcdrestores.etcd.database.coreos.com
  fill example/etcd-restore-operator/restore_cr.yaml | kubectl create -f -
  kubectl wait --for=jsonpath='{.status.succeeded}'=true etcdrestore/example-etcd-cluster --timeout=300s
  kubectl wait --for=jsonpath='{.status.readySize}'=3 etcd/example-etcd-cluster --timeout=180s
  kubectl get pods --selector=etcd_cluster=example-etcd-cluster
  etcdctl get foo | grep --quiet --line-regexp bar
  kubectl delete etcdrestores,etcdbackups --all
  kubectl delete -f example/etcd-backup-operator/deployment.yaml -f example/etcd-restore-operator/deployment.yaml
  kubectl delete secret aws
fi

step 'The end: the cluster and everything of it go with the object'
kubectl delete -f example/example-etcd-cluster.yaml
kubectl wait --for=delete pod --selector=etcd_cluster=example-etcd-cluster --timeout=180s
kubectl delete pod etcd-client --now
kubectl delete -f example/deployment.yaml
printf '\nThe walk-through is complete.\n'
