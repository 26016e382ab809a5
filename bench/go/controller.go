// SPDX-License-Identifier: Apache-2.0
package main

import (
	"context"
	"fmt"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// A reconciler of the shape that both sides share: two reads from caches, one apply of the status.
type clusterReconciler struct {
	client     client.Client
	reconciles atomic.Int64
	writes     atomic.Int64
}

func (r *clusterReconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	r.reconciles.Add(1)
	cluster := &EtcdCluster{}
	if err := r.client.Get(ctx, request.NamespacedName, cluster); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	settings := &corev1.ConfigMap{}
	if err := r.client.Get(ctx, client.ObjectKey{Namespace: request.Namespace, Name: "settings"}, settings); err != nil {
		return reconcile.Result{}, err
	}
	if cluster.Status.ObservedGeneration == cluster.Generation {
		return reconcile.Result{}, nil
	}
	status := &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"name": request.Name, "namespace": request.Namespace},
		"status": map[string]any{
			"observedGeneration": cluster.Generation,
			"phase":              settings.Data["phase"],
			"readySize":          int64(cluster.Spec.Size),
		},
	}}
	status.SetGroupVersionKind(clusterKind)
	r.writes.Add(1)
	err := r.client.Status().Apply(ctx, client.ApplyConfigurationFromUnstructured(status), client.FieldOwner("bench"), client.ForceOwnership)
	return reconcile.Result{}, err
}

func runController(ctx context.Context, o options) (func(string) (any, error), error) {
	manager, err := ctrl.NewManager(restConfig(o.codec), ctrl.Options{
		Scheme:  newScheme(),
		Metrics: metricsserver.Options{BindAddress: "0"},
		Cache:   crcache.Options{DefaultTransform: crcache.TransformStripManagedFields()},
	})
	if err != nil {
		return nil, err
	}
	r := &clusterReconciler{client: manager.GetClient()}
	unlimited := workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](5e6, 1000e9)
	err = ctrl.NewControllerManagedBy(manager).
		For(&EtcdCluster{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: o.concurrency, RateLimiter: unlimited}).
		Complete(r)
	if err != nil {
		return nil, err
	}
	return r.handle, r.start(ctx, manager, o)
}

func (r *clusterReconciler) start(ctx context.Context, manager ctrl.Manager, o options) error {
	go func() {
		if err := manager.Start(ctx); err != nil {
			panic(err)
		}
	}()
	kinds := []client.Object{&EtcdCluster{}, &corev1.ConfigMap{}}
	if o.withPods {
		kinds = append(kinds, &corev1.Pod{})
	}
	for _, kind := range kinds {
		if _, err := manager.GetCache().GetInformer(ctx, kind); err != nil {
			return err
		}
	}
	if !manager.GetCache().WaitForCacheSync(ctx) {
		return fmt.Errorf("the caches did not sync")
	}
	return nil
}

func (r *clusterReconciler) handle(word string) (any, error) {
	return map[string]float64{
		"cpu":        cpuSeconds(),
		"reconciles": float64(r.reconciles.Load()),
		"writes":     float64(r.writes.Load()),
	}, nil
}
